import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

/// The range of rows that a pull requests.
struct PullRange: Equatable {
    let since: ChangeNumber
    let cursor: UInt32
}

/// A controller whose clock the test advances, and a node that sends only what the test says.
final class Bench {
    static let token = TokenDigest([UInt8](repeating: 1, count: 32))
    static let viewerToken = TokenDigest([UInt8](repeating: 2, count: 32))
    static let strangerToken = TokenDigest([UInt8](repeating: 3, count: 32))
    static let client = ConnectionID(high: 1, low: 1)
    static let node = ConnectionID(high: 2, low: 2)
    static let boot = BootID(bits: 0xb007)

    var controller: Controller
    /// The contents of its journal, from the beginning.
    var stored: [JournalEntry] = []
    /// The stored device lists of nodes, by account and name.
    private(set) var lists: [String: [DeviceID]] = [:]
    /// The stored changes of records, a batch for each step.
    var recordBatches: [[ServiceRecord]] = []
    /// The stored records of services.
    var records: [ServiceRecord] { recordBatches.joined().reduce(into: []) { $0.apply($1) } }
    private var configuration: ControllerConfiguration
    var now = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    var effects: [Effect] = []
    var generator = SeededGenerator(seed: 42)
    var correlation: UInt64 = 0
    /// The number of the last pull, by the connection it was sent on.
    private var lastPulls: [ConnectionID: UInt64] = [:]
    /// Whether a node that is asked to send its hello again does so, as a live node would.
    var answersHello = true
    /// The scripted node's devices as it would report them.
    var rows: [DeviceRow] = []

    init(configure: (inout ControllerConfiguration) -> Void = { _ in }) throws {
        func user(
            _ email: String, _ account: String, _ role: Session.Role, isOperator: Bool = false
        ) throws
            -> ControllerConfiguration.User
        {
            let session = Session(
                account: try #require(AccountID(account)), email: try #require(Email(email)), role: role,
                isOperator: isOperator)
            return ControllerConfiguration.User(session: session, passwordHash: "hash of \(email)")
        }
        let users = [
            try user("demo@sensibus.local", "demo", .owner, isOperator: true),
            try user("viewer@sensibus.local", "demo", .viewer),
            try user("eve@sensibus.local", "other", .owner),
        ]
        let digests = try [Self.token, Self.viewerToken, Self.strangerToken].map { try #require($0) }
        let start = now.wall
        let sessions = zip(digests, users).map {
            ControllerConfiguration.OpenSession(digest: $0, email: $1.session.email, openedAt: start)
        }
        configuration = ControllerConfiguration(
            epoch: Epoch(10), users: users, sessions: sessions, seed: 7)
        configure(&configuration)
        controller = Controller(configuration, at: now)
    }

    /// Changes the stored configuration, which the next start reads.
    func configure(_ change: (inout ControllerConfiguration) -> Void) { change(&configuration) }

    /// Ends the controller and starts it again some time later from its journal.
    ///
    /// - Parameter count: The number of last entries that were not committed.
    func restart(after pause: Duration = .milliseconds(200), losing count: Int = 0) throws {
        stored.removeLast(count)
        now = now.advanced(by: pause)
        var replay = JournalReplay()
        var writer = RecordWriter()
        for entry in stored { entry.write(to: &writer) }
        var reader = RecordReader(writer.bytes)
        while reader.bytesLeft > 0 { replay.apply(try JournalEntry(from: &reader)) }
        try begin(replay)
    }

    /// Restarts the controller, and lets the node return with its table, when the end of the journal may be
    /// lost: after a power failure, or because a backup was restored.
    ///
    /// - Parameter count: The number of last entries that are lost.
    func restartAfterLoss(
        after pause: Duration = .milliseconds(200), losing count: Int = 0, judged: [RequestID] = []
    ) throws {
        stored.removeLast(count)
        let medium = MemoryMedium()
        var (former, replay) = (JournalReplay(), JournalReplay())
        var journal = try Journal(medium, at: now.wall, into: &former)
        try journal.append(stored, open: { [] })
        medium.isLossPossible = true
        now = now.advanced(by: pause)
        _ = try Journal(medium, at: now.wall, into: &replay)
        stored = try medium.entries(of: 1)
        try begin(replay)
        hello(judged: judged)
        answerPull()
    }

    private func begin(_ replay: JournalReplay) throws {
        configuration.epoch = configuration.epoch.next
        configuration.records = records
        controller = Controller(configuration, recovering: replay, awaiting: try storedLists(), at: now)
        effects = []
    }

    /// Restarts the controller from a journal whose ends it has not read yet, and lets the node return.
    ///
    /// - Returns: The segments with the ends.
    func restartBeforeReplay(judged: [RequestID] = []) throws -> JournalReplay {
        let ends = stored.filter { if case .ended = $0 { true } else { false } }
        stored.removeAll { if case .ended = $0 { true } else { false } }
        var replay = JournalReplay()
        var unread = JournalReplay()
        for entry in ends { unread.apply(entry) }
        replay.unreadUpTo = unread.endedKeys.map(\.id.time).max()
        now = now.advanced(by: .milliseconds(200))
        configuration.epoch = configuration.epoch.next
        configuration.records = records
        controller = Controller(configuration, recovering: replay, awaiting: try storedLists(), at: now)
        effects = []
        hello(judged: judged)
        answerPull()
        stored = ends
        return unread
    }

    /// Restarts the controller, and lets the node return with its table.
    func restartWithNode(after pause: Duration = .milliseconds(200), losing count: Int = 0) throws {
        try restart(after: pause, losing: count)
        hello()
        answerPull()
    }

    /// A bench whose node is online with that many devices, all off at version 1, and without effects.
    static func withDevices(
        _ count: Int = 3, configure: (inout ControllerConfiguration) -> Void = { _ in }
    ) throws
        -> Bench
    {
        let bench = try Bench(configure: configure)
        bench.bringUp(count)
        bench.effects = []
        return bench
    }

    func step(_ input: Controller.Input) {
        // Effects of earlier steps have been sent.
        var decided = Controller.Effects()
        controller.step(input, at: now, into: &decided)
        store(decided.changes)
        for sent in decided.messages {
            if case .pull(_, _, let number) = sent.message.body { lastPulls[sent.node] = number }
        }
        effects += decided.all
    }

    private func store(_ changes: [StorageChange]) {
        var batch: [ServiceRecord] = []
        for change in changes {
            switch change {
            case .request(let entry): stored.append(entry)
            case .access, .move: break
            case .directory(let entry): store(entry)
            case .service(let record): batch.append(record)
            }
        }
        if !batch.isEmpty { recordBatches.append(batch) }
    }

    private func store(_ entry: DirectoryEntry) {
        switch entry {
        case .added(let list): lists["\(list.account)/\(list.node)", default: []] += list.devices
        case .listed(let list):
            lists["\(list.account)/\(list.node)"] = list.devices.isEmpty ? nil : list.devices
        case .confirmed: break
        }
    }

    private func storedLists() throws -> [NodeDevices] {
        try lists.sorted { $0.key < $1.key }.map { name, devices in
            let parts = name.split(separator: "/")
            return NodeDevices(
                account: try #require(AccountID(String(parts[0]))),
                node: try #require(NodeName(String(parts[1]))), devices: devices)
        }
    }

    /// Advances the clock, with a turn at each moment that the controller requested.
    func pass(_ duration: Duration) {
        let end = now.monotonic.advanced(by: duration)
        var turns = 0
        while let due = controller.nextDue, due <= end, turns < 100_000 {
            now = now.advanced(by: max(.zero, now.monotonic.duration(to: due)))
            step(.turn(lastTook: .zero))
            turns += 1
        }
        now = now.advanced(by: max(.zero, now.monotonic.duration(to: end)))
        step(.turn(lastTook: .zero))
    }

    /// Like ``pass(_:)``, while the node pings every half second.
    func passWithPings(_ duration: Duration) {
        var left = duration
        while left > .zero {
            let part = min(left, Limits.beatInterval)
            pass(part)
            send(.ping())
            left -= part
        }
    }

    // MARK: The node

    func bringUp(_ count: Int) {
        rows = (0..<count).map { index in
            DeviceRow(
                device: DeviceID(fleetSeed: 1, index: UInt64(index)), number: ChangeNumber(UInt64(index + 1)),
                reported: DeviceState(
                    state: ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto),
                    version: Version(1), incarnation: Incarnation(bits: 0xabc)),
                epoch: .zero, lastCommandNumber: .zero, isConnected: true)
        }
        hello()
        answerPull()
    }

    var lastNumber: ChangeNumber { rows.map(\.number).max() ?? .zero }

    func send(
        _ body: NodeMessage.Body, boot: BootID = Bench.boot, on connection: ConnectionID = Bench.node
    ) {
        step(.node(connection, NodeMessage(bootID: boot, lastNumber: lastNumber, body: body)))
    }

    func hello(
        _ name: String = "node-1", account: String = "demo", boot: BootID = Bench.boot,
        on connection: ConnectionID = Bench.node, judged: [RequestID] = []
    ) {
        guard let name = NodeName(name), let account = AccountID(account) else {
            Issue.record("an invalid name")
            return
        }
        let hello = NodeHello(
            node: name, account: account, devices: UInt32(rows.count), judgedRequests: judged)
        let count = sent(to: connection).count
        send(.hello(hello), boot: boot, on: connection)
        let isWanted = sent(to: connection).dropFirst(count).contains(.pong(helloWanted: true))
        guard isWanted, answersHello else { return }
        send(.hello(hello), boot: boot, on: connection)
        let isAsked = sent(to: connection).dropFirst(count).contains {
            if case .pull(_, .max, _) = $0 { true } else { false }
        }
        guard isAsked else { return }
        // The former boot is dead, and does not answer.
        pass(Limits.bootTimeout)
        send(.hello(hello), boot: boot, on: connection)
    }

    /// Answers the last pull with all rows above its number, in one chunk.
    func answerPull(boot: BootID = Bench.boot, on connection: ConnectionID = Bench.node) {
        guard
            case .pull(let since, let cursor, let number) = sent(to: connection).last(where: {
                if case .pull = $0 { true } else { false }
            })
        else {
            Issue.record("no pull")
            return
        }
        let newer = rows.filter { $0.number > since }.enumerated().map {
            RowChunk.Row(device: $1, name: "Room \($0 + 1)")
        }
        let chunk = RowChunk(
            since: since, cursor: cursor, nextCursor: UInt32(rows.count), isLast: true, pull: number,
            rows: newer)
        send(.rows(chunk), boot: boot, on: connection)
    }

    /// A chunk that answers the last pull.
    func chunk(
        since: ChangeNumber = .zero, cursor: UInt32 = 0, nextCursor: UInt32, isLast: Bool = true,
        on connection: ConnectionID = Bench.node, rows: [RowChunk.Row]
    ) -> RowChunk {
        RowChunk(
            since: since, cursor: cursor, nextCursor: nextCursor, isLast: isLast,
            pull: lastPulls[connection] ?? 0, rows: rows)
    }

    /// The pulls that were sent: rows above which number, from which slot on.
    func pulls(to connection: ConnectionID = Bench.node) -> [PullRange] {
        sent(to: connection).compactMap {
            guard case .pull(let since, let cursor, _) = $0 else { return nil }
            return PullRange(since: since, cursor: cursor)
        }
    }

    /// Changes a device at the node, as a hand remote would, without a message.
    func change(
        _ index: Int, isOn: Bool? = nil, isConnected: Bool? = nil, incarnation: UInt64? = nil
    ) {
        let row = rows[index]
        var state = row.reported.state
        state.isOn = isOn ?? state.isOn
        let isNewIncarnation = incarnation != nil
        let version =
            isNewIncarnation ? Version(1) : (isOn == nil ? row.reported.version : row.reported.version.next)
        rows[index] = DeviceRow(
            device: row.device, number: lastNumber.next,
            reported: DeviceState(
                state: state, version: version,
                incarnation: incarnation.map(Incarnation.init(bits:)) ?? row.reported.incarnation),
            epoch: row.epoch, lastCommandNumber: isNewIncarnation ? .zero : row.lastCommandNumber,
            isConnected: isConnected ?? row.isConnected)
    }

    /// The node publishes a device's current row.
    func publish(_ index: Int) {
        step(.telemetry(Telemetry(bootID: Self.boot, rows: [rows[index]])))
    }

    /// The device executes a command and answers by its rules, if nothing prevents it.
    func carryOut(
        _ command: DeviceCommand, boot: BootID = Bench.boot, on connection: ConnectionID = Bench.node
    ) {
        guard let index = rows.firstIndex(where: { $0.device == command.identity.device }) else { return }
        let before = rows[index].reported
        let wanted = before.state.applying(command.change)
        let holds = command.base == nil || command.base == before.version
        let verdict: Verdict = !holds ? .conflict : wanted == before.state ? .unchanged : .applied
        let after = DeviceState(
            state: verdict == .applied ? wanted : before.state,
            version: verdict == .applied ? before.version.next : before.version,
            incarnation: before.incarnation)
        rows[index] = DeviceRow(
            device: rows[index].device, number: verdict == .applied ? lastNumber.next : rows[index].number,
            reported: after, epoch: configuration.epoch, lastCommandNumber: command.identity.commandNumber,
            isConnected: true)
        answer(command.identity, verdict, boot: boot, on: connection)
    }

    /// The device answers with a verdict and its current row.
    func answer(
        _ identity: CommandIdentity, _ verdict: Verdict, boot: BootID = Bench.boot,
        on connection: ConnectionID = Bench.node
    ) {
        guard let row = rows.first(where: { $0.device == identity.device }) else { return }
        send(
            .result(
                CommandResult(
                    commandNumber: identity.commandNumber, requestID: identity.requestID, verdict: verdict,
                    judged: row.reported, deviceUs: 5, row: row)), boot: boot, on: connection)
    }

    // MARK: The client

    func newID() -> RequestID { RequestID(at: now.wall, using: &generator) }

    @discardableResult
    func ask(
        _ body: ClientRequest.Body, token: TokenDigest? = Bench.token,
        from connection: ConnectionID = Bench.client
    ) -> UInt64 {
        correlation += 1
        step(
            .client(
                connection, ClientRequest(correlation: correlation, token: nil, body: body), digest: token))
        return correlation
    }

    /// Returns the reply of an account service.
    ///
    /// - Throws: ``Refused``.
    func serve<Request: ServiceRequest>(
        _ request: Request, token: TokenDigest? = Bench.token
    ) throws -> Request.Reply {
        let correlation = ask(.service(ServiceMessage(request)), token: token)
        guard case .service(let message)? = replies(to: correlation).last,
            let reply = try message.reply(to: Request.self)
        else { throw Refused(refusal: refusal(of: correlation)) }
        return reply
    }

    /// The published updates of an account service.
    func updates<Update: WireMessage>(_ type: Update.Type, of service: ServiceName) throws -> [Update] {
        try effects.compactMap {
            guard case .publish(_, let update) = $0, case .service(let message) = update.body,
                message.service == service
            else { return nil }
            return try Update(wireBytes: message.content)
        }
    }

    @discardableResult
    func cancel(_ id: RequestID, timeout: Duration? = nil) -> UInt64 {
        ask(.cancel(id, timeout: timeout))
    }

    @discardableResult
    func toggle(
        _ index: Int = 0, id: RequestID? = nil, expected: FleetProtocol.Expectation? = nil,
        timeout: Duration? = nil,
        token: TokenDigest? = Bench.token
    ) -> (id: RequestID, correlation: UInt64) {
        let id = id ?? newID()
        let command = Command(
            requestID: id, device: DeviceID(fleetSeed: 1, index: UInt64(index)), kind: .toggle,
            expected: expected,
            timeout: timeout)
        return (id, ask(.command(command), token: token))
    }

    // MARK: Results

    func replies(to correlation: UInt64) -> [ClientReply.Body] {
        effects.compactMap {
            if case .reply(_, let reply) = $0, reply.correlation == correlation { reply.body } else { nil }
        }
    }

    func outcome(of correlation: UInt64) -> Outcome? {
        if case .outcome(let report)? = replies(to: correlation).last { report.outcome } else { nil }
    }

    func refusal(of correlation: UInt64) -> Refusal? {
        if case .refusal(let refusal)? = replies(to: correlation).last { refusal } else { nil }
    }

    func cancelReply(of correlation: UInt64) -> CancelReply? {
        if case .cancel(_, let answer)? = replies(to: correlation).last { answer } else { nil }
    }

    func sent(to connection: ConnectionID = Bench.node) -> [ControllerMessage.Body] {
        effects.compactMap { if case .send(connection, let message) = $0 { message.body } else { nil } }
    }

    var commands: [DeviceCommand] {
        sent().compactMap {
            switch $0 {
            case .command(let command), .configure(let command, _): command
            default: nil
            }
        }
    }

    /// The changes of settings sent to devices.
    var settings: [SettingChange] {
        sent().compactMap { if case .configure(_, let setting) = $0 { setting } else { nil } }
    }

    var aborts: [CommandIdentity] {
        sent().compactMap { if case .abort(let identity) = $0 { identity } else { nil } }
    }

    var journal: [JournalEntry] {
        effects.compactMap { if case .store(.request(let entry)) = $0 { entry } else { nil } }
    }

    /// The entries to store about sessions and users, in order.
    var access: [AccessEntry] {
        effects.compactMap { if case .store(.access(let entry)) = $0 { entry } else { nil } }
    }

    /// The entries to store about devices of nodes, in order.
    var directoryEntries: [DirectoryEntry] {
        effects.compactMap { if case .store(.directory(let entry)) = $0 { entry } else { nil } }
    }

    /// The changes of records to store, in order.
    var recordChanges: [ServiceRecord] {
        effects.compactMap { if case .store(.service(let record)) = $0 { record } else { nil } }
    }

    var updates: [StreamUpdate] {
        effects.compactMap { if case .publish(_, let update) = $0 { update } else { nil } }
    }

    /// The state of the node's devices.
    var reports: [ReportedDevice] { rows.map { ReportedDevice(device: $0.device, state: $0.reported) } }

    func reportedState(_ index: Int = 0) -> DeviceState { rows[index].reported }
}

/// A request of an account service that was refused; nil if the reply is of another kind.
struct Refused: Error { let refusal: Refusal? }
