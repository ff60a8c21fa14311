import FleetProtocol

@testable import ControllerCore

/// The value of an initializer that a test's constants satisfy.
func valid<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("not a valid \(Value.self)") }
    return value
}

extension AccountID {
    static let demo = valid(AccountID("demo"))
    static let other = valid(AccountID("other"))
}

extension Email {
    /// The owner and the viewer of the account ``AccountID/demo``, and the owner of the other one.
    static let demo = valid(Email("demo@sensibus.local"))
    static let viewer = valid(Email("viewer@sensibus.local"))
    static let eve = valid(Email("eve@sensibus.local"))
    /// A person who is no user.
    static let ann = valid(Email("ann@example.com"))
}

extension Password {
    static let secret = valid(Password("open sesame"))
}

extension Token {
    static func of(_ byte: UInt8) -> Token { valid(Token([UInt8](repeating: byte, count: length))) }
}

extension TokenDigest {
    static func of(_ byte: UInt8) -> TokenDigest {
        valid(TokenDigest([UInt8](repeating: byte, count: 32)))
    }
}

extension Session {
    init(_ email: Email, of account: AccountID = .demo, _ role: Role, isOperator: Bool = false) {
        self.init(account: account, email: email, role: role, isOperator: isOperator)
    }
}

extension ControllerConfiguration {
    /// Adds a user with a session since the bench began.
    mutating func add(_ session: Session, passwordHash: String = "hash", digest: TokenDigest) {
        users.append(User(session: session, passwordHash: passwordHash))
        sessions.append(OpenSession(digest: digest, email: session.email, openedAt: Bench.start))
    }
}

extension Refusal {
    /// The case without its values.
    var kind: String { String("\(self)".prefix { $0 != "(" }) }
    /// The text of a request that is invalid.
    var problem: String? { if case .invalid(let text) = self { text } else { nil } }
    /// The text of a request that is not allowed.
    var reason: String? { if case .notAllowed(let text) = self { text } else { nil } }
}

extension StorageError {
    /// The path of what is damaged.
    var damagedPath: String? { if case .damaged(let path, _) = self { path } else { nil } }
}

extension ClientReply.Body {
    var refusal: Refusal? { if case .refusal(let refusal) = self { refusal } else { nil } }
}

extension DeviceRow {
    /// A device of the bench's node that is off, at version 1 and connected.
    static func off(_ index: Int, number: Int? = nil) -> DeviceRow {
        DeviceRow(
            device: Bench.device(index), number: ChangeNumber(UInt64(number ?? index + 1)),
            reported: DeviceState(
                state: ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto),
                version: Version(1), incarnation: Incarnation(bits: 0xabc)),
            epoch: .zero, lastCommandNumber: .zero, isConnected: true)
    }

    /// The row with other values.
    func with(
        device: DeviceID? = nil, number: ChangeNumber? = nil, reported: DeviceState? = nil,
        epoch: Epoch? = nil, lastCommandNumber: CommandNumber? = nil, isConnected: Bool = true
    ) -> DeviceRow {
        DeviceRow(
            device: device ?? self.device, number: number ?? self.number, reported: reported ?? self.reported,
            epoch: epoch ?? self.epoch, lastCommandNumber: lastCommandNumber ?? self.lastCommandNumber,
            isConnected: isConnected)
    }
}

extension EndedRequests {
    /// Inserts a request that ended that many seconds after the bench began; returns its key.
    @discardableResult
    mutating func insertEnd(
        _ seconds: Int, of account: AccountIndex, isTombstone: Bool = false,
        using generator: inout SeededGenerator
    ) -> RequestKey {
        let at = Bench.start.advanced(by: .seconds(seconds))
        let device = isTombstone ? nil : Bench.device(1)
        let report = OutcomeReport(
            requestID: RequestID(at: at, using: &generator), device: device, outcome: .cancelled, user: .demo)
        let content = device.map { RequestContent(device: $0, kind: .toggle) }
        let key = RequestKey(account: account, id: report.requestID)
        insert(Entry(report: report, content: content, endedAt: at, mayBeJudged: true), for: key)
        return key
    }
}
