import ControllerCore
import FleetProtocol
import FleetTime
import PlantedBugs

/// Several cells on a network that loses, duplicates and delays their messages, and people who sign up, are
/// added and removed, and log in at any cell.
///
/// It checks that no two cells have the same user or account, and that a person with the right password is
/// never refused, once their cell has confirmed them.
struct CellWorld {
    /// What happens at a time.
    enum Event {
        case act
        case turn(Int)
        case crash(Int)
        case start(Int)
        case list(Int, [CellName])
        case cutOff(Int, Bool)
        case pull(from: Int, to: Int, CellPull)
        case page(from: Int, to: Int, correlation: UInt64, CellDirectoryPage)
        case checked(Int, epoch: UInt64, PasswordCheck)
        case hashed(Int, epoch: UInt64, PasswordHashing)
        case request(CellCall, at: Int)
        case reply(ClientReply)
    }

    private static let faultyTime: Duration = .seconds(20)
    private static let settlement: Duration = .seconds(12)

    private(set) var findings = Findings()
    private(set) var steps = 0
    private(set) var faults = 0
    var random: SeededGenerator
    var people: [SimulatedPerson]
    var calls: [UInt64: CellCall] = [:]
    var now = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_700_000_000_000))
    private(set) var isHealed = false
    private(set) var cells: [SimulatedCell]
    private var events = EventQueue<Event>()
    private(set) var lastDigest: UInt64 = 1_000
    private var isCutOff: Set<Int> = []
    private let planted: Planting
    private let trace: ((Moment, String) -> Void)?
    let operatorDigest: TokenDigest

    init(seed: UInt64, planting bug: PlantedBug?, trace: ((Moment, String) -> Void)?) {
        random = .derived(seed: seed, purpose: 11)
        (planted, self.trace) = (Planting(bug), trace)
        operatorDigest = Self.digest(1)
        let names = (1...3).compactMap { CellName("c\($0)") }
        // The third cell joins later.
        cells = names.map { SimulatedCell($0, knowing: Array(names.prefix(2))) }
        people = (1...6).compactMap { number in
            guard let email = Email("p\(number)@example.org"), let password = Password("password \(number)")
            else { return nil }
            return SimulatedPerson(email: email, password: password)
        }
    }

    /// Runs a time with faults, a time without, and the final checks.
    mutating func run() {
        for cell in 0..<2 { start(cell) }
        events.schedule(.act, at: now.monotonic)
        scheduleFaults()
        run(for: Self.faultyTime)
        isHealed = true
        isCutOff = []
        for cell in cells.indices where cells[cell].controller == nil && !cells[cell].list.isEmpty {
            start(cell)
        }
        run(for: Self.settlement)
        for person in people.indices where people[person].home != nil {
            for cell in cells.indices { call(.login, by: person, at: cell, isFinal: true) }
        }
        run(for: Self.settlement)
    }

    private mutating func scheduleFaults() {
        let all = cells.map(\.name)
        let joining = Double.random(in: 4..<16, using: &random)
        for cell in cells.indices {
            schedule(.list(cell, all), after: .seconds(joining + Double.random(in: 0..<2, using: &random)))
            for _ in 0..<2 {
                let instant = Double.random(in: 1..<18, using: &random)
                schedule(.crash(cell), after: .seconds(instant))
                let begin = Double.random(in: 1..<16, using: &random)
                schedule(.cutOff(cell, true), after: .seconds(begin))
                schedule(
                    .cutOff(cell, false), after: .seconds(begin + Double.random(in: 0..<3, using: &random)))
            }
        }
    }

    private mutating func run(for time: Duration) {
        let end = now.monotonic.advanced(by: time)
        while let (event, due) = events.popEarliest(until: end) {
            advance(to: due)
            steps += 1
            handle(event)
        }
        advance(to: end)
    }

    private mutating func advance(to time: MonotonicTime) {
        now = Moment(
            monotonic: time, wall: now.wall.advanced(by: now.monotonic.duration(to: time)))
    }

    mutating func schedule(_ event: Event, after delay: Duration) {
        events.schedule(event, at: now.monotonic.advanced(by: delay))
    }

    func report(_ text: @autoclosure () -> String) { trace?(now, text()) }

    mutating func see(_ name: String) { findings.seen.insert(name) }

    mutating func violate(_ text: String) {
        report("VIOLATION \(text)")
        findings.violate("cells: \(text)")
    }

    // MARK: Events

    private mutating func handle(_ event: Event) {
        switch event {
        case .act: if !isHealed { act() }
        case .turn(let cell):
            guard cells[cell].nextTurn == now.monotonic else { return }
            step(cell, .turn(lastTook: .zero))
        case .crash(let cell):
            guard !isHealed, cells[cell].controller != nil else { return }
            (cells[cell].controller, faults) = (nil, faults + 1)
            report("\(cells[cell].name) crashes")
            schedule(.start(cell), after: .milliseconds(Int.random(in: 50...2_000, using: &random)))
        case .start(let cell): if cells[cell].controller == nil { start(cell) }
        case .list(let cell, let list): learn(list, at: cell)
        case .cutOff(let cell, let isCut):
            if isCut, !isHealed { isCutOff.insert(cell) } else { isCutOff.remove(cell) }
            faults += 1
        case .pull(let source, let target, let pull): deliver(pull, from: source, to: target)
        case .page(let source, let target, let correlation, let page):
            guard mayPass(source, target) else { return }
            step(target, .cellPage(cells[source].name, correlation: correlation, page))
        case .checked(let cell, let epoch, let check):
            guard cells[cell].epoch == epoch else { return }
            finish(check, at: cell)
        case .hashed(let cell, let epoch, let hashing):
            guard cells[cell].epoch == epoch else { return }
            step(cell, .passwordHashed(ticket: hashing.ticket, hash: Self.hash(hashing.password)))
        case .request(let call, let cell): receive(call, at: cell)
        case .reply(let reply): receive(reply)
        }
    }

    private mutating func start(_ cell: Int) {
        cells[cell].start(with: planted, seed: random.next(), digest: operatorDigest, at: now)
        report("\(cells[cell].name) starts with \(cells[cell].list.map(\.text))")
        step(cell, .turn(lastTook: .zero))
    }

    private mutating func learn(_ list: [CellName], at cell: Int) {
        cells[cell].list = list
        see("cell added")
        report("\(cells[cell].name) learns \(list.map(\.text))")
        guard cells[cell].controller != nil else { return start(cell) }
        step(cell, .cells(list.filter { $0 != cells[cell].name }))
    }

    private func mayPass(_ source: Int, _ target: Int) -> Bool {
        !isCutOff.contains(source) && !isCutOff.contains(target) && cells[target].controller != nil
    }

    private mutating func deliver(_ pull: CellPull, from source: Int, to target: Int) {
        guard mayPass(source, target) else { return }
        let request = ClientRequest(
            correlation: pull.correlation, token: nil,
            body: .service(ServiceMessage(CellRequest.pull(pull.pull))))
        step(target, .client(Self.link(to: source), request, digest: operatorDigest))
    }

    private mutating func receive(_ call: CellCall, at cell: Int) {
        guard cells[cell].controller != nil else { return }
        step(cell, .client(Self.clients, call.request(digest: operatorDigest), digest: digest(of: call)))
    }

    private func digest(of call: CellCall) -> TokenDigest? {
        switch call.purpose {
        case .create: operatorDigest
        case .add, .remove: call.token
        case .login, .signUp, .guess: nil
        }
    }

    private mutating func finish(_ check: PasswordCheck, at cell: Int) {
        lastDigest += 1
        guard let token = Token([UInt8](repeating: UInt8(lastDigest % 251), count: Token.length)) else {
            return
        }
        let hash = check.password.map(Self.hash)
        step(
            cell,
            .passwordChecked(
                ticket: check.ticket, didMatch: hash != nil && hash == check.storedHash, token: token,
                digest: Self.digest(lastDigest), hash: check.storedHash == nil ? hash : nil))
    }

    // MARK: Effects

    private mutating func step(_ cell: Int, _ input: Controller.Input) {
        var effects = Controller.Effects()
        cells[cell].controller?.step(input, at: now, into: &effects)
        cells[cell].controller?.step(.turn(lastTook: .zero), at: now, into: &effects)
        store(effects.changes, of: cell)
        let epoch = cells[cell].epoch
        for check in effects.checks { schedule(.checked(cell, epoch: epoch, check), after: pause(1...80)) }
        for hashing in effects.hashings {
            schedule(.hashed(cell, epoch: epoch, hashing), after: pause(1...80))
        }
        for sent in effects.replies { send(sent, from: cell) }
        for pull in effects.cellRequests {
            guard let target = cells.firstIndex(where: { $0.name == pull.cell }) else { continue }
            pass(.pull(from: cell, to: target, pull))
        }
        guard let due = cells[cell].controller?.nextDue, due != .never else { return }
        let next = max(due, now.monotonic.advanced(by: .milliseconds(1)))
        if cells[cell].nextTurn.map({ $0 <= now.monotonic || next < $0 }) ?? true {
            cells[cell].nextTurn = next
            events.schedule(.turn(cell), at: next)
        }
    }

    private mutating func store(_ changes: [StorageChange], of cell: Int) {
        for change in changes {
            cells[cell].store(change)
            guard case .access(.userAdded(let user)) = change else { continue }
            report("\(cells[cell].name) adds \(user)")
            for other in cells where other.name != cells[cell].name {
                if other.users[user.session.email] != nil {
                    violate("\(user.session.email) is in \(cells[cell].name) and in \(other.name)")
                }
                if other.users.values.contains(where: { $0.session.account == user.session.account }) {
                    violate("account \(user.session.account) is in \(cells[cell].name) and in \(other.name)")
                }
            }
        }
    }

    private mutating func send(_ sent: Controller.Effects.Reply, from cell: Int) {
        if sent.client == Self.clients {
            if !chance(0.05) { schedule(.reply(sent.reply), after: pause(1...5)) }
            return
        }
        guard case .service(let message) = sent.reply.body,
            case .page(let page)? = try? message.reply(to: CellRequest.self)
        else { return violate("\(cells[cell].name) refuses its directory: \(sent.reply.body)") }
        let target = Int(sent.client.low)
        pass(.page(from: cell, to: target, correlation: sent.reply.correlation, page))
    }

    /// Sends a message between cells: it may be lost, arrive late, or arrive twice.
    private mutating func pass(_ event: Event) {
        if chance(0.1) {
            faults += 1
            return
        }
        schedule(event, after: pause(chance(0.1) ? 50...3_000 : 1...30))
        guard chance(0.1) else { return }
        see("late page")
        faults += 1
        schedule(event, after: pause(50...4_000))
    }

    mutating func chance(_ probability: Double) -> Bool {
        !isHealed && Double.random(in: 0..<1, using: &random) < probability
    }

    mutating func pause(_ milliseconds: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: milliseconds, using: &random))
    }
}
