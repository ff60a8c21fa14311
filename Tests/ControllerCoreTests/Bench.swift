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
    static let start = WallTime(unixMilliseconds: 1_800_000_000_000)
    static let token = TokenDigest.of(1)
    static let viewerToken = TokenDigest.of(2)
    static let strangerToken = TokenDigest.of(3)
    static let client = ConnectionID(high: 1, low: 1)
    static let node = ConnectionID(high: 2, low: 2)
    static let boot = BootID(bits: 0xb007)

    /// The ID of the node's device with that index.
    static func device(_ index: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(index)) }

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
    var now = Moment(monotonic: .zero, wall: Bench.start)
    var effects: [Effect] = []
    var generator = SeededGenerator(seed: 42)
    var correlation: UInt64 = 0
    /// The number of the last pull, by the connection it was sent on.
    private var lastPulls: [ConnectionID: UInt64] = [:]
    /// Whether a node that is asked to send its hello again does so, as a live node would.
    var answersHello = true
    /// The scripted node's devices as it would report them.
    var rows: [DeviceRow] = []

    init(configure: (inout ControllerConfiguration) -> Void = { _ in }) {
        configuration = ControllerConfiguration(epoch: Epoch(10), users: [], seed: 7)
        let sessions = [
            Session(.demo, .owner, isOperator: true), Session(.viewer, .viewer),
            Session(.eve, of: .other, .owner),
        ]
        for (session, digest) in zip(sessions, [Self.token, Self.viewerToken, Self.strangerToken]) {
            configuration.add(session, passwordHash: "hash of \(session.email)", digest: digest)
        }
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
        begin(replay)
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
        begin(replay)
        join(judged: judged)
    }

    private func begin(_ replay: JournalReplay) {
        configuration.epoch = configuration.epoch.next
        configuration.records = records
        controller = Controller(configuration, recovering: replay, awaiting: storedLists, at: now)
        effects = []
    }

    /// Restarts the controller from a journal whose ends it has not read yet, and lets the node return.
    ///
    /// - Returns: The segments with the ends.
    func restartBeforeReplay(judged: [RequestID] = []) -> JournalReplay {
        let ends = stored.filter { if case .ended = $0 { true } else { false } }
        stored.removeAll { if case .ended = $0 { true } else { false } }
        var replay = JournalReplay()
        var unread = JournalReplay()
        for entry in ends { unread.apply(entry) }
        replay.unreadUpTo = unread.endedKeys.map(\.id.time).max()
        now = now.advanced(by: .milliseconds(200))
        begin(replay)
        join(judged: judged)
        stored = ends
        return unread
    }

    /// Restarts the controller, and lets the node return with its table.
    func restartWithNode(after pause: Duration = .milliseconds(200), losing count: Int = 0) throws {
        try restart(after: pause, losing: count)
        join()
    }

    /// A bench whose node is online with that many devices, all off at version 1, and without effects.
    static func withDevices(
        _ count: Int = 3, configure: (inout ControllerConfiguration) -> Void = { _ in }
    ) -> Bench {
        let bench = Bench(configure: configure)
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

    private var storedLists: [NodeDevices] {
        lists.sorted { $0.key < $1.key }.map { name, devices in
            let parts = name.split(separator: "/").map(String.init)
            return NodeDevices(
                account: valid(AccountID(parts[0])), node: valid(NodeName(parts[1])), devices: devices)
        }
    }

    /// Sets the wall clock to a later or earlier time.
    func setClock(_ step: Duration) { setClock(to: now.wall.advanced(by: step)) }

    func setClock(to time: WallTime) { now = Moment(monotonic: now.monotonic, wall: time) }

    /// Advances the clock, with a turn at each moment that the controller requested.
    func pass(_ duration: Duration) {
        let end = now.monotonic.advanced(by: duration)
        var turns = 0
        while case let due = controller.nextDue, due <= end, turns < 100_000 {
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
        rows = (0..<count).map { .off($0) }
        join()
    }

    var lastNumber: ChangeNumber { rows.map(\.number).max() ?? .zero }

    func send(_ body: NodeMessage.Body, boot: BootID = Bench.boot, on connection: ConnectionID = Bench.node) {
        step(.node(connection, NodeMessage(bootID: boot, lastNumber: lastNumber, body: body)))
    }

    func hello(
        _ name: String = "node-1", account: AccountID = .demo, groups: [DeviceGroup] = [], host: String = "",
        boot: BootID = Bench.boot, on connection: ConnectionID = Bench.node, judged: [RequestID] = []
    ) {
        let hello = NodeHello(
            node: valid(NodeName(name)), account: account, devices: UInt32(rows.count), groups: groups,
            host: host, judgedRequests: judged)
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

    /// A node sends its hello, and answers the pull.
    func join(
        _ name: String = "node-1", account: AccountID = .demo, boot: BootID = Bench.boot,
        on connection: ConnectionID = Bench.node, judged: [RequestID] = []
    ) {
        hello(name, account: account, boot: boot, on: connection, judged: judged)
        answerPull(boot: boot, on: connection)
    }

    /// The connection of a node with that number.
    static func connection(_ number: UInt64) -> ConnectionID { ConnectionID(high: 9, low: number) }

    /// A process of a node, with a number of its own, sends its hello and a table of devices with names.
    func join(
        _ name: String = "node-1", with devices: [RowChunk.Row], groups: [DeviceGroup] = [],
        host: String = "", number: UInt64 = 1
    ) {
        let (boot, connection) = (BootID(bits: number), Self.connection(number))
        rows = devices.map(\.device)
        hello(name, groups: groups, host: host, boot: boot, on: connection)
        let chunk = chunk(nextCursor: UInt32(devices.count), on: connection, rows: devices)
        send(.rows(chunk), boot: boot, on: connection)
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
    func change(_ index: Int, isOn: Bool? = nil, isConnected: Bool? = nil, incarnation: UInt64? = nil) {
        let row = rows[index]
        var state = row.reported.state
        state.isOn = isOn ?? state.isOn
        let isNewIncarnation = incarnation != nil
        let version =
            isNewIncarnation ? Version(1) : (isOn == nil ? row.reported.version : row.reported.version.next)
        rows[index] = row.with(
            number: lastNumber.next,
            reported: DeviceState(
                state: state, version: version,
                incarnation: incarnation.map(Incarnation.init(bits:)) ?? row.reported.incarnation),
            lastCommandNumber: isNewIncarnation ? .zero : row.lastCommandNumber,
            isConnected: isConnected ?? row.isConnected)
    }

    /// Changes the connection of a device, and publishes that.
    func setConnection(_ index: Int = 0, _ isConnected: Bool) {
        change(index, isConnected: isConnected)
        publish(index)
    }

    /// The node publishes a device's current row.
    func publish(_ index: Int) {
        publish([rows[index]])
    }

    func publish(_ rows: [DeviceRow], boot: BootID = Bench.boot) {
        step(.telemetry(Telemetry(bootID: boot, rows: rows)))
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
        rows[index] = rows[index].with(
            number: verdict == .applied ? lastNumber.next : nil, reported: after, epoch: configuration.epoch,
            lastCommandNumber: command.identity.commandNumber)
        answer(command.identity, verdict, boot: boot, on: connection)
    }

    /// The device executes the command that was sent last.
    func carryOutNewest(sourceLocation: SourceLocation = #_sourceLocation) {
        guard let command = commands.last else {
            Issue.record("no command was sent", sourceLocation: sourceLocation)
            return
        }
        carryOut(command)
    }

    /// A toggle is sent to the first device, and applied.
    func expectToggleIsApplied(sourceLocation: SourceLocation = #_sourceLocation) {
        let toggle = toggle()
        carryOutNewest(sourceLocation: sourceLocation)
        #expect(outcome(of: toggle.correlation) == .applied(reportedState()), sourceLocation: sourceLocation)
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

    func newID(after pause: Duration = .zero) -> RequestID {
        RequestID(at: now.wall.advanced(by: pause), using: &generator)
    }

    @discardableResult
    func ask(
        _ body: ClientRequest.Body, token: TokenDigest? = Bench.token,
        from connection: ConnectionID = Bench.client
    ) -> UInt64 {
        correlation += 1
        let request = ClientRequest(correlation: correlation, token: nil, body: body)
        step(.client(connection, request, digest: token))
        return correlation
    }

    /// Sends a request of an account service.
    @discardableResult
    func answer<Request: ServiceRequest>(
        to request: Request, token: TokenDigest? = Bench.token
    ) throws -> Request.Reply {
        let correlation = ask(.service(ServiceMessage(request)), token: token)
        guard case .service(let message)? = replies(to: correlation).last,
            let reply = try message.reply(to: Request.self)
        else { throw Refused(refusal: refusal(of: correlation)) }
        return reply
    }

    /// A service's request has no reply of the service.
    struct Refused: Error { let refusal: Refusal? }

    /// The refusal of a service's request; nil if it is answered.
    func refusal(to request: some ServiceRequest, token: TokenDigest? = Bench.token) -> Refusal? {
        refusal(to: .service(ServiceMessage(request)), token: token)
    }

    @discardableResult
    func cancel(_ id: RequestID, timeout: Duration? = nil) -> UInt64 {
        ask(.cancel(id, timeout: timeout))
    }

    /// Sends a command to a device.
    @discardableResult
    func send(
        _ kind: Command.Kind, to index: Int = 0, id: RequestID? = nil,
        expected: FleetProtocol.Expectation? = nil, timeout: Duration? = nil,
        token: TokenDigest? = Bench.token
    ) -> UInt64 {
        let command = Command(
            requestID: id ?? newID(), device: Self.device(index), kind: kind, expected: expected,
            timeout: timeout)
        return ask(.command(command), token: token)
    }

    @discardableResult
    func toggle(
        _ index: Int = 0, id: RequestID? = nil, expected: FleetProtocol.Expectation? = nil,
        timeout: Duration? = nil, token: TokenDigest? = Bench.token
    ) -> (id: RequestID, correlation: UInt64) {
        let id = id ?? newID()
        return (id, send(.toggle, to: index, id: id, expected: expected, timeout: timeout, token: token))
    }

    // MARK: Results

    func replies(to correlation: UInt64) -> [ClientReply.Body] {
        effects.compactMap {
            if case .reply(_, let reply) = $0, reply.correlation == correlation { reply.body } else { nil }
        }
    }

    /// The last reply to a request.
    func reply(to body: ClientRequest.Body, token: TokenDigest? = Bench.token) -> ClientReply.Body? {
        replies(to: ask(body, token: token)).last
    }

    func refusal(to body: ClientRequest.Body, token: TokenDigest? = Bench.token) -> Refusal? {
        refusal(of: ask(body, token: token))
    }

    func report(of correlation: UInt64) -> OutcomeReport? {
        if case .outcome(let report)? = replies(to: correlation).last { report } else { nil }
    }

    func outcome(of correlation: UInt64) -> Outcome? { report(of: correlation)?.outcome }

    /// The reply to a later query of a request's outcome.
    func outcome(of id: RequestID) -> Outcome? { outcome(of: ask(.outcome(id))) }

    /// The session that a login or sign-up opened.
    func session(of correlation: UInt64) -> Session? {
        if case .session(let session, _)? = replies(to: correlation).last { session } else { nil }
    }

    func snapshot(
        from cursor: UInt32 = 0, to end: UInt32 = 0, token: TokenDigest? = Bench.token
    ) -> SnapshotChunk? {
        guard case .snapshot(let chunk)? = reply(to: .snapshot(cursor: cursor, end: end), token: token) else {
            return nil
        }
        return chunk
    }

    /// Every chunk of the account's snapshot.
    func snapshotChunks() throws -> [SnapshotChunk] {
        var chunks: [SnapshotChunk] = []
        repeat {
            chunks.append(try #require(snapshot(from: chunks.last?.nextCursor ?? 0)))
        } while chunks.last?.isLast == false && chunks.count < 10_000
        #expect(chunks.last?.isLast == true)
        return chunks
    }

    func status() throws -> StatusReport {
        guard case .status(let report)? = reply(to: .status) else { throw Refused(refusal: nil) }
        return report
    }

    func users(token: TokenDigest? = Bench.token) -> [User] {
        if case .users(let users)? = reply(to: .users, token: token) { users } else { [] }
    }

    func refusal(of correlation: UInt64) -> Refusal? {
        replies(to: correlation).last?.refusal
    }

    func cancelReply(of correlation: UInt64) -> CancelReply? {
        if case .cancel(_, let answer)? = replies(to: correlation).last { answer } else { nil }
    }

    /// The report of a cancel that was too late.
    func tooLateReport(of correlation: UInt64) -> OutcomeReport? {
        if case .tooLate(let report)? = cancelReply(of: correlation) { report } else { nil }
    }

    /// The outcomes of the account's last minutes, chunk by chunk.
    func history(back: Duration, token: TokenDigest? = Bench.token) throws -> [HistoryChunk] {
        var chunks: [HistoryChunk] = []
        repeat {
            let cursor = chunks.last?.nextCursor ?? 0
            guard case .history(let chunk)? = reply(to: .history(back: back, cursor: cursor), token: token)
            else { throw Refused(refusal: nil) }
            try #require(chunk.isLast || chunk.nextCursor > cursor)
            chunks.append(chunk)
        } while chunks.last?.isLast == false
        return chunks
    }

    func sent(to connection: ConnectionID = Bench.node) -> [ControllerMessage.Body] {
        effects.compactMap { if case .send(connection, let message) = $0 { message.body } else { nil } }
    }

    var commands: [DeviceCommand] { commands(to: Self.node) }

    func commands(to connection: ConnectionID) -> [DeviceCommand] {
        sent(to: connection).compactMap {
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

    var publishedOutcomes: [OutcomeReport] {
        updates.compactMap { if case .outcome(let report) = $0.body { report } else { nil } }
    }

    /// The rows of devices that were published as new.
    var addedRows: [SnapshotChunk.Row] {
        updates.compactMap { if case .added(let row) = $0.body { row } else { nil } }
    }

    var pullCount: Int { sent().count { if case .pull = $0 { true } else { false } } }

    var checks: [PasswordCheck] {
        effects.compactMap { if case .checkPassword(let check) = $0 { check } else { nil } }
    }

    var hashings: [PasswordHashing] {
        effects.compactMap { if case .hashPassword(let hashing) = $0 { hashing } else { nil } }
    }

    var messages: [OutgoingMessage] {
        effects.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    /// The epochs by which the controller was stopped.
    var fencings: [Epoch] {
        effects.compactMap { if case .halt(let epoch) = $0 { epoch } else { nil } }
    }

    // MARK: Passwords

    /// Logs in from a source.
    @discardableResult
    func login(_ email: Email = .demo, password: Password = .secret, from source: UInt64 = 1) -> UInt64 {
        ask(.login(email: email, password: password), token: nil, from: ConnectionID(high: source, low: 0))
    }

    /// Completes the worker's last check, with a token of that byte.
    func finishCheck(didMatch: Bool = true, token byte: UInt8 = 9, hash: String? = nil) throws {
        step(
            .passwordChecked(
                ticket: try #require(checks.last).ticket, didMatch: didMatch, token: .of(byte),
                digest: .of(byte), hash: hash))
    }

    /// Completes the worker's last hashing.
    func finishHashing(as hash: String = "a new hash") throws {
        step(.passwordHashed(ticket: try #require(hashings.last).ticket, hash: hash))
    }

    /// Adds a user, by default a member.
    @discardableResult
    func addUser(
        _ email: Email, _ role: Session.Role = .member, isOperator: Bool = false,
        token: TokenDigest? = Bench.token
    ) -> UInt64 {
        ask(.addUser(User(email: email, role: role, isOperator: isOperator), password: .secret), token: token)
    }

    // MARK: State

    /// The state of the node's devices.
    var reports: [ReportedDevice] { rows.map { ReportedDevice(device: $0.device, state: $0.reported) } }

    func reportedState(_ index: Int = 0) -> DeviceState { rows[index].reported }
}
