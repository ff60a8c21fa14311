import ControllerCore
import DeviceCore
import FleetProtocol

/// Several cells on a network that loses, duplicates and delays their messages, and people who sign up, are
/// added and removed, and log in at any cell. It checks that no two cells have the same user or account, and
/// that a person with the right password is never refused, once their cell has confirmed them.
struct CellWorld {
    /// What happens at a time.
    enum Event {
        case act
        case turn(Int)
        case crash(Int)
        case start(Int)
        case list(Int, [CellName])
        case cutOff(Int, Bool)
        case cellRequest(from: Int, to: Int, RequestToCell)
        case cellReply(from: Int, to: Int, correlation: UInt64, CellReply)
        case rows(Int, epoch: UInt64, MoveWork)
        case checked(Int, epoch: UInt64, PasswordCheck)
        case hashed(Int, epoch: UInt64, PasswordHashing)
        case request(CellCall, at: Int)
        case reply(ClientReply)
        /// The node of the account that is moved connects, receives a message, or has a turn.
        case greet
        case toNode(ConnectionID, ControllerMessage)
        case fromNode(NodeMessage, UInt64, at: Int)
        case nodeTurn
        /// The user of that account sends a toggle, or sends one again.
        case toggle
        case toggleRequest(UInt64, at: Int)
        case toggleSilence(UInt64)
        case toggleAgain(Int)
        case toggleReply(ClientReply, from: Int)
        case move
        case logIn
        case logInRequest(UInt64, at: Int)
        case logInReply(ClientReply, from: Int)
    }

    private static let faultyTime: Duration = .seconds(20)
    private static let settlement: Duration = .seconds(12)

    private(set) var findings = Findings()
    var faults = 0
    var random: SeededGenerator
    var people: [SimulatedPerson]
    var calls: [UInt64: CellCall] = [:]
    private(set) var isHealed = false
    var cells: [SimulatedCell]
    var fleet: MovingFleet
    var events = EventQueue<Event>(
        from: Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_700_000_000_000)))
    var lastDigest: UInt64 = 1_000
    private var isCutOff: Set<Int> = []
    /// The contents of accounts that were read for moves; the rows of a move name one.
    var contents: [SimulatedCell.Content] = []
    let planted: Planting
    private let trace: ((Moment, String) -> Void)?
    let operatorDigest: TokenDigest

    init?(seed: UInt64, planting bug: PlantedBug?, trace: ((Moment, String) -> Void)?) {
        random = .derived(seed: seed, purpose: 11)
        guard let fleet = MovingFleet(using: &random, at: events.now) else { return nil }
        self.fleet = fleet
        (planted, self.trace) = (Planting(bug), trace)
        operatorDigest = Self.digest(1)
        let names = (1...3).compactMap { CellName("c\($0)") }
        // The third cell joins later.
        cells = names.map { SimulatedCell($0, knowing: Array(names.prefix(2))) }
        cells[0].give(fleet.user, session: fleet.token, at: events.now.wall)
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
        beginFleet()
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
        for toggle in fleet.toggles.indices { send(toggle, to: fleet.cell) }
        run(for: Self.settlement)
        checkFleet()
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
        while let event = events.next(until: end) { handle(event) }
    }

    var now: Moment { events.now }

    mutating func schedule(_ event: Event, after delay: Duration) { events.schedule(event, after: delay) }

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
        case .cellRequest(let source, let target, let request): deliver(request, from: source, to: target)
        case .cellReply(let source, let target, let correlation, let reply):
            guard mayPass(source, target) else { return }
            step(target, .cell(.reply(cells[source].name, correlation: correlation, reply)))
        case .rows(let cell, let epoch, let work):
            guard cells[cell].epoch == epoch else { return }
            finish(work, at: cell)
        case .checked(let cell, let epoch, let check):
            guard cells[cell].epoch == epoch else { return }
            finish(check, at: cell)
        case .hashed(let cell, let epoch, let hashing):
            guard cells[cell].epoch == epoch else { return }
            step(cell, .passwordHashed(ticket: hashing.ticket, hash: Self.hash(hashing.password)))
        case .request(let call, let cell): receive(call, at: cell)
        case .reply(let reply): receive(reply)
        case .greet: stepNode(.connected)
        case .toNode(let connection, let message): receive(message, on: connection)
        case .fromNode(let message, let connection, let cell): receive(message, of: connection, at: cell)
        case .nodeTurn: if fleet.nextTurn == now.monotonic { stepNode(.turn) }
        case .toggle: toggle()
        case .toggleRequest(let correlation, let cell): receiveToggle(correlation, at: cell)
        case .toggleSilence(let correlation): repeatToggle(correlation)
        case .toggleAgain(let toggle): send(toggle, to: fleet.cell)
        case .toggleReply(let reply, let cell): receiveOutcome(reply, from: cell)
        case .move: orderMove()
        case .logIn: logIn()
        case .logInRequest(let correlation, let cell): receiveLogIn(correlation, at: cell)
        case .logInReply(let reply, let cell): receiveLogInReply(reply, from: cell)
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
        step(cell, .cell(.others(list.filter { $0 != cells[cell].name })))
    }

    private func mayPass(_ source: Int, _ target: Int) -> Bool {
        !isCutOff.contains(source) && !isCutOff.contains(target) && cells[target].controller != nil
    }

    private mutating func deliver(_ request: RequestToCell, from source: Int, to target: Int) {
        guard mayPass(source, target) else { return }
        let request = ClientRequest(
            correlation: request.correlation, token: nil, body: .service(ServiceMessage(request.request)))
        step(target, .client(Self.link(to: source), request, digest: operatorDigest))
    }

    private mutating func receive(_ call: CellCall, at cell: Int) {
        guard cells[cell].controller != nil else { return }
        if call.purpose == .remove { people[call.person].leave(at: now.monotonic) }
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

    mutating func chance(_ probability: Double) -> Bool {
        !isHealed && Double.random(in: 0..<1, using: &random) < probability
    }

    mutating func pause(_ milliseconds: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: milliseconds, using: &random))
    }
}
