import ControllerCore
import FleetProtocol

/// A request of a person or an operator, which follows the cells that controllers name.
struct CellCall {
    enum Purpose: Equatable {
        case login
        case signUp
        /// A log-in with a wrong password.
        case guess
        case create(AccountID)
        case add
        case remove
    }

    let number: UInt64
    let purpose: Purpose
    let person: Int
    let email: Email
    let password: Password
    let token: TokenDigest?
    let begunAt: MonotonicTime
    /// Whether it is one of the final checks, which must succeed.
    let isFinal: Bool
    var cell: Int
    var moves = 0
    var tries = 0

    func request(digest: TokenDigest) -> ClientRequest {
        let body: ClientRequest.Body =
            switch purpose {
            case .login, .guess: .login(email: email, password: password)
            case .signUp: .selfService(.signUp(email: email, password: password))
            case .create(let account):
                .service(
                    ServiceMessage(
                        CellRequest.create(
                            AccountCreation(
                                account: account, email: email, password: password, isOperator: true))))
            case .add: .addUser(User(email: email, role: .member, isOperator: false), password: password)
            case .remove: .removeUser(email)
            }
        return ClientRequest(correlation: number, token: nil, body: body)
    }
}

extension CellWorld {
    private static let mostMoves = 3
    private static let mostTries = 12

    /// One person does something; the next does so soon.
    mutating func act() {
        let person = people.indices.randomElement(using: &random) ?? 0
        let cell = Int.random(in: 0..<cellCount, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: call(.signUp, by: person, at: cell)
        case 3: call(.guess, by: person, at: cell)
        case 4, 5:
            let number = Int.random(in: 1...4, using: &random)
            if let account = AccountID("a\(number)") { call(.create(account), by: person, at: cell) }
        case 6: change(.add, of: person)
        case 7: change(.remove, of: person)
        default: if people[person].home != nil { call(.login, by: person, at: cell) }
        }
        schedule(.act, after: pause(5...120))
    }

    /// An owner who has logged in adds or removes a person.
    private mutating func change(_ purpose: CellCall.Purpose, of person: Int) {
        let owners = people.indices.filter {
            $0 != person && people[$0].token != nil && people[$0].home != nil
        }
        guard let owner = owners.randomElement(using: &random), let home = people[owner].home,
            let cell = index(of: home.cell)
        else { return }
        if purpose == .remove {
            guard people[person].home?.cell == home.cell else { return }
            people[person].leave(at: now.monotonic)
        }
        call(purpose, by: person, at: cell, token: people[owner].token)
    }

    mutating func call(
        _ purpose: CellCall.Purpose, by person: Int, at cell: Int, token: TokenDigest? = nil,
        isFinal: Bool = false
    ) {
        let wrong = Password("wrong")
        let password = purpose == .guess ? wrong ?? people[person].password : people[person].password
        let call = CellCall(
            number: UInt64(events.steps) << 8 | UInt64(calls.count & 0xff) + 1, purpose: purpose,
            person: person,
            email: people[person].email, password: password, token: token, begunAt: now.monotonic,
            isFinal: isFinal, cell: cell)
        guard calls[call.number] == nil else { return }
        calls[call.number] = call
        report("\(purpose) \(call.email) at \(name(of: cell))")
        send(call)
    }

    private mutating func send(_ call: CellCall, after delay: Duration = .milliseconds(1)) {
        calls[call.number] = call
        schedule(.request(call, at: call.cell), after: delay)
    }

    mutating func receive(_ reply: ClientReply) {
        guard var call = calls.removeValue(forKey: reply.correlation) else { return }
        switch reply.body {
        case .refusal(.moved(let cell)):
            see("moved")
            guard let next = index(of: cell), call.moves < Self.mostMoves else { return again(call) }
            call.moves += 1
            call.cell = next
            send(call)
        case .refusal(.busy):
            see("cell busy")
            again(call)
        case .refusal(let refusal): refused(call, refusal)
        case .session(let session, _): opened(session, by: call)
        case .userAdded, .service: confirmed(call)
        default: break
        }
    }

    private mutating func again(_ call: CellCall) {
        var call = call
        (call.moves, call.tries) = (0, call.tries + 1)
        guard call.tries <= Self.mostTries else {
            if call.isFinal { violate("\(call.email) cannot log in at \(name(of: call.cell)): always busy") }
            return
        }
        send(call, after: pause(200...1_200))
    }

    private mutating func opened(_ session: Session, by call: CellCall) {
        guard call.purpose != .guess else { return violate("\(call.email) logs in with a wrong password") }
        guard let cell = session.cell else { return violate("a session names no cell") }
        see("logged in at a cell")
        if let home = people[call.person].home, home.since < call.begunAt, home.cell != cell {
            violate("\(call.email) of \(home.cell) logs in at \(cell)")
        }
        guard has(call.email, in: cell) else { return }
        people[call.person].settle(in: cell, by: call, at: now.monotonic)
        people[call.person].token = newestDigest
    }

    private mutating func confirmed(_ call: CellCall) {
        see(call.purpose == .add ? "user added in a cell" : "account created")
        let cell = name(of: call.cell)
        guard has(call.email, in: cell) else { return }
        people[call.person].settle(in: cell, by: call, at: now.monotonic)
    }

    private mutating func refused(_ call: CellCall, _ refusal: Refusal) {
        guard refusal == .unauthenticated else {
            see("registered elsewhere")
            return
        }
        guard call.purpose == .login, let home = people[call.person].home, home.since < call.begunAt else {
            return
        }
        violate("\(call.email) of \(home.cell) is refused at \(name(of: call.cell))")
    }
}

/// The cells and users of the simulation, by name, and how controllers see them.
extension CellWorld {
    var cellCount: Int { cells.count }

    func name(of cell: Int) -> CellName { cells[cell].name }

    func index(of name: CellName) -> Int? { cells.firstIndex { $0.name == name } }

    func has(_ email: Email, in cell: CellName) -> Bool {
        cells.contains { $0.name == cell && $0.users[email] != nil }
    }

    static let clients = ConnectionID(high: 1, low: 0)

    static func link(to cell: Int) -> ConnectionID { ConnectionID(high: 2, low: UInt64(cell)) }

    static func hash(_ password: Password) -> String { "hash of \(password.text)" }

    static func digest(_ number: UInt64) -> TokenDigest {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number >> UInt64($0 % 8 * 8)) }
        guard let digest = TokenDigest(bytes) else { preconditionFailure("a digest has 32 bytes") }
        return digest
    }

    /// The digest of the token of a session that was opened just now.
    var newestDigest: TokenDigest { Self.digest(lastDigest) }
}
