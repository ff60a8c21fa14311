// Made by protoc-gen-fleetwire from sensibus/v1/clients.proto: `make proto` makes it again.
// swift-format-ignore-file

extension Session {
    /// What a user may do within the account.
    public enum Role: UInt8, CaseIterable, Hashable, Sendable {
        case owner
        case member
        case viewer
    }
}

extension Session.Role {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .owner
        case 2: self = .member
        case 3: self = .viewer
        default: throw .malformed(field, "a role")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .owner: 1
        case .member: 2
        case .viewer: 3
        }
    }
}

/// A fault that can be injected into a device.
public enum Fault: UInt8, CaseIterable, Hashable, Sendable {
    /// The device loses its connection.
    case offline
    /// The device accepts commands and does not execute them.
    case hang
    /// A hand remote switches the device.
    case flip
    /// The device loses its memory and begins a new incarnation.
    case reset
    /// The device executes commands late.
    case slow
    /// The node that hosts the device is killed.
    case crash
    /// The device reboots: it is offline for a while, and keeps its memory.
    case reboot
}

extension Fault {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .offline
        case 2: self = .hang
        case 3: self = .flip
        case 4: self = .reset
        case 5: self = .slow
        case 6: self = .crash
        case 7: self = .reboot
        default: throw .malformed(field, "a fault")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .offline: 1
        case .hang: 2
        case .flip: 3
        case .reset: 4
        case .slow: 5
        case .crash: 6
        case .reboot: 7
        }
    }
}

extension APIKey {
    /// The rights of a key, within those of its user.
    public enum Scope: UInt8, CaseIterable, Hashable, Sendable {
        /// Read, switch devices, set their timers and schedules, run command queues, write in the logbook.
        case `switch`
        /// Read only.
        case read
    }
}

extension APIKey.Scope {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .switch
        case 1: self = .read
        default: throw .malformed(field, "a scope")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .switch: 0
        case .read: 1
        }
    }
}

/// A request of a client to the controller.
public struct ClientRequest: Equatable, Sendable {
    /// Chosen by the client, and returned in the reply.
    public let correlation: UInt64
    /// 32 bytes; in every request but login, ways_in, sign_up and forgot_password.
    public let token: Token?
    /// A request that a program makes on its own, such as a gateway that follows an account without active users. It
    /// does not count as use of the session.
    public let isUnattended: Bool
    public let body: ClientRequest.Body

    public init(correlation: UInt64 = 0, token: Token? = nil, isUnattended: Bool = false, body: ClientRequest.Body) {
        self.correlation = correlation
        self.token = token
        self.isUnattended = isUnattended
        self.body = body
    }
}

extension ClientRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var `protocol` = UInt32(0)
        var correlation = UInt64(0)
        var token: [UInt8] = []
        var unattended = false
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 2: try fields.read(&correlation)
            case 3: try fields.read(&token)
            case 4: try fields.read(&unattended)
            case 10...22, 30...34, 40...46, 70...73: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        do throws(WireError) {
            self.init(
                correlation: correlation,
                token: try token.isEmpty ? nil : Token(wire: token, field: "token"),
                isUnattended: unattended,
                body: try ClientRequest.Body(wire: body.required("body: a request of a kind that this version knows")))
        } catch {
            throw error.answering(correlation)
        }
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, correlation)
            if let value = token { fields.put(3, value.wire) }
            fields.put(4, isUnattended)
            body.write(to: &fields)
        }
    }
}

extension ClientRequest.Body {
    /// The case that the message in `ClientRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 70...73: self = .selfService(try SelfServiceRequest(wire: choice))
        case 10:
            let (email, password, source) = try LoginFields.read(choice.message)
            self = .login(email: email, password: password, source: source)
        case 11: self = .logout(everywhere: try LogoutFields.read(choice.message))
        case 12: self = .command(try Command(wire: choice.message))
        case 13:
            let (requestID, timeout) = try CancelFields.read(choice.message)
            self = .cancel(requestID, timeout: timeout)
        case 14: self = .outcome(try OutcomeQueryFields.read(choice.message))
        case 15:
            let (cursor, end) = try SnapshotPullFields.read(choice.message)
            self = .snapshot(cursor: cursor, end: end)
        case 16: self = .status
        case 17:
            let (fault, devices, duration, delay) = try InjectFields.read(choice.message)
            self = .inject(fault, devices: devices, duration: duration, delay: delay)
        case 18:
            let (user, password) = try UserAdditionFields.read(choice.message)
            self = .addUser(user, password: password)
        case 19: self = .users
        case 20: self = .removeUser(try UserRemovalFields.read(choice.message))
        case 21:
            let (email, to, retainsKeys) = try PasswordChangeFields.read(choice.message)
            self = .changePassword(email, to: to, retainsKeys: retainsKeys)
        case 22:
            let (email, to) = try RoleChangeFields.read(choice.message)
            self = .changeRole(email, to: to)
        case 30: self = .heal(try HealFields.read(choice.message))
        case 31:
            let (scenario, beganAt) = try ScenarioChangeFields.read(choice.message)
            self = .scenario(scenario, beganAt: beganAt)
        case 32: self = .retire(try RetireFields.read(choice.message))
        case 33:
            let (back, cursor) = try HistoryPullFields.read(choice.message)
            self = .history(back: back, cursor: cursor)
        case 34: self = .faults
        case 40:
            let (name, digest, scope) = try KeyAdditionFields.read(choice.message)
            self = .addKey(name, digest, scope)
        case 41: self = .keys
        case 42: self = .revokeKey(try KeyRevocationFields.read(choice.message))
        case 43: self = .who
        case 44: self = .counters(cursor: try CounterPullFields.read(choice.message))
        case 45: self = .streamTicket
        default: self = .service(try ServiceMessage(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .selfService(let value): value.write(to: &fields)
        case .login(let email, let password, let source): fields.put(10) { LoginFields.write(email, password, source, into: &$0) }
        case .logout(let everywhere): fields.put(11) { LogoutFields.write(everywhere, into: &$0) }
        case .command(let value): fields.put(12, value)
        case .cancel(let requestID, let timeout): fields.put(13) { CancelFields.write(requestID, timeout, into: &$0) }
        case .outcome(let requestID): fields.put(14) { OutcomeQueryFields.write(requestID, into: &$0) }
        case .snapshot(let cursor, let end): fields.put(15) { SnapshotPullFields.write(cursor, end, into: &$0) }
        case .status: fields.put(16) { _ in }
        case .inject(let fault, let devices, let duration, let delay): fields.put(17) { InjectFields.write(fault, devices, duration, delay, into: &$0) }
        case .addUser(let user, let password): fields.put(18) { UserAdditionFields.write(user, password, into: &$0) }
        case .users: fields.put(19) { _ in }
        case .removeUser(let email): fields.put(20) { UserRemovalFields.write(email, into: &$0) }
        case .changePassword(let email, let to, let retainsKeys): fields.put(21) { PasswordChangeFields.write(email, to, retainsKeys, into: &$0) }
        case .changeRole(let email, let to): fields.put(22) { RoleChangeFields.write(email, to, into: &$0) }
        case .heal(let devices): fields.put(30) { HealFields.write(devices, into: &$0) }
        case .scenario(let scenario, let beganAt): fields.put(31) { ScenarioChangeFields.write(scenario, beganAt, into: &$0) }
        case .retire(let devices): fields.put(32) { RetireFields.write(devices, into: &$0) }
        case .history(let back, let cursor): fields.put(33) { HistoryPullFields.write(back, cursor, into: &$0) }
        case .faults: fields.put(34) { _ in }
        case .addKey(let name, let digest, let scope): fields.put(40) { KeyAdditionFields.write(name, digest, scope, into: &$0) }
        case .keys: fields.put(41) { _ in }
        case .revokeKey(let name): fields.put(42) { KeyRevocationFields.write(name, into: &$0) }
        case .who: fields.put(43) { _ in }
        case .counters(let cursor): fields.put(44) { CounterPullFields.write(cursor, into: &$0) }
        case .streamTicket: fields.put(45) { _ in }
        case .service(let value): fields.put(46, value)
        }
    }
}

extension SelfServiceRequest {
    /// The case that the message in `ClientRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 70: self = .availability
        case 71:
            let (email, password, source) = try LoginFields.read(choice.message)
            self = .signUp(email: email, password: password, source: source)
        case 72:
            let (email, source) = try ResetRequestFields.read(choice.message)
            self = .forgotPassword(email, source: source)
        default:
            let (to, retainsKeys) = try PasswordResetFields.read(choice.message)
            self = .resetPassword(to: to, retainsKeys: retainsKeys)
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .availability: fields.put(70) { _ in }
        case .signUp(let email, let password, let source): fields.put(71) { LoginFields.write(email, password, source, into: &$0) }
        case .forgotPassword(let email, let source): fields.put(72) { ResetRequestFields.write(email, source, into: &$0) }
        case .resetPassword(let to, let retainsKeys): fields.put(73) { PasswordResetFields.write(to, retainsKeys, into: &$0) }
        }
    }
}

/// A reply of the controller to a client.
public struct ClientReply: Equatable, Sendable {
    public let correlation: UInt64
    public let body: ClientReply.Body

    public init(correlation: UInt64 = 0, body: ClientReply.Body) {
        self.correlation = correlation
        self.body = body
    }
}

extension ClientReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var `protocol` = UInt32(0)
        var correlation = UInt64(0)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 2: try fields.read(&correlation)
            case 10...22, 30...32, 40...46, 70...72: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        do throws(WireError) {
            self.init(
                correlation: correlation,
                body: try ClientReply.Body(wire: body.required("body: a reply of a kind that this version knows")))
        } catch {
            throw error.answering(correlation)
        }
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, correlation)
            body.write(to: &fields)
        }
    }
}

extension ClientReply.Body {
    /// The case that the message in `ClientReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 70...72: self = .selfService(try SelfServiceReply(wire: choice))
        case 10: self = .refusal(try Refusal(wire: choice.message))
        case 11: self = try Self.readSession(choice.message)
        case 12: self = .signedOut(sessions: try SignedOutFields.read(choice.message))
        case 13: self = .outcome(try OutcomeReport(wire: choice.message))
        case 14:
            let (requestID, kind) = try CancelReplyFields.read(choice.message)
            self = .cancel(requestID, kind)
        case 15: self = .snapshot(try SnapshotChunk(wire: choice.message))
        case 16: self = .status(try StatusReport(wire: choice.message))
        case 17: self = .injected(devices: try InjectedFields.read(choice.message))
        case 18: self = .userAdded(try User(wire: choice.message))
        case 19: self = .users(try UserListFields.read(choice.message))
        case 20: self = .userRemoved(sessions: try UserRemovedFields.read(choice.message))
        case 21:
            let (sessions, keys) = try PasswordChangedFields.read(choice.message)
            self = .passwordChanged(sessions: sessions, keys: keys)
        case 22: self = .userChanged(try User(wire: choice.message))
        case 30: self = .carriedOut(try OrderReport(wire: choice.message))
        case 31: self = .history(try HistoryChunk(wire: choice.message))
        case 32: self = .faults(try FaultList(wire: choice.message))
        case 40: self = .keyAdded(try APIKey(wire: choice.message))
        case 41: self = .keys(try APIKeyListFields.read(choice.message))
        case 42: self = .keyRevoked(try APIKey(wire: choice.message))
        case 43: self = try Self.readWho(choice.message)
        case 44: self = .counters(try CounterReport(wire: choice.message))
        case 45: self = .streamTicket(try StreamTicket(wire: choice.message))
        default: self = .service(try ServiceMessage(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .selfService(let value): value.write(to: &fields)
        case .refusal(let value): fields.put(10, value)
        case .session: fields.put(11) { writeSession(to: &$0) }
        case .signedOut(let sessions): fields.put(12) { SignedOutFields.write(sessions, into: &$0) }
        case .outcome(let value): fields.put(13, value)
        case .cancel(let requestID, let kind): fields.put(14) { CancelReplyFields.write(requestID, kind, into: &$0) }
        case .snapshot(let value): fields.put(15, value)
        case .status(let value): fields.put(16, value)
        case .injected(let devices): fields.put(17) { InjectedFields.write(devices, into: &$0) }
        case .userAdded(let value): fields.put(18, value)
        case .users(let users): fields.put(19) { UserListFields.write(users, into: &$0) }
        case .userRemoved(let sessions): fields.put(20) { UserRemovedFields.write(sessions, into: &$0) }
        case .passwordChanged(let sessions, let keys): fields.put(21) { PasswordChangedFields.write(sessions, keys, into: &$0) }
        case .userChanged(let value): fields.put(22, value)
        case .carriedOut(let value): fields.put(30, value)
        case .history(let value): fields.put(31, value)
        case .faults(let value): fields.put(32, value)
        case .keyAdded(let value): fields.put(40, value)
        case .keys(let keys): fields.put(41) { APIKeyListFields.write(keys, into: &$0) }
        case .keyRevoked(let value): fields.put(42, value)
        case .who: fields.put(43) { writeWho(to: &$0) }
        case .counters(let value): fields.put(44, value)
        case .streamTicket(let value): fields.put(45, value)
        case .service(let value): fields.put(46, value)
        }
    }
}

extension SelfServiceReply {
    /// The case that the message in `ClientReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 70: self = .availability(try SelfService(wire: choice.message))
        case 71: self = .resetRequested
        default:
            let (email, sessions, keys) = try PasswordWasResetFields.read(choice.message)
            self = .passwordReset(email, sessions: sessions, keys: keys)
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .availability(let value): fields.put(70, value)
        case .resetRequested: fields.put(71) { _ in }
        case .passwordReset(let email, let sessions, let keys): fields.put(72) { PasswordWasResetFields.write(email, sessions, keys, into: &$0) }
        }
    }
}

/// The fields of `Login`.
enum LoginFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Email, Password, LoginSource?) {
        var email = ""
        var password = ""
        var source = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&password)
            case 3: try fields.read(&source)
            default: break
            }
        }
        return (try Email(wire: email, field: "email"), try Password(wire: password, field: "password"), try source.isEmpty ? nil : LoginSource(wire: source, field: "login.source"))
    }

    static func write(
        _ email: Email, _ password: Password, _ source: LoginSource?, into fields: inout FieldWriter
    ) {
        fields.put(1, email.wire)
        fields.put(2, password.wire)
        if let value = source { fields.put(3, value.wire) }
    }
}

/// The availability of sign-up and password reset.
public struct SelfService: Hashable, Sendable {
    /// Whether sign-up is enabled.
    public let signsUp: Bool
    /// Whether password reset is enabled.
    public let resetsPasswords: Bool

    public init(signsUp: Bool = false, resetsPasswords: Bool = false) {
        self.signsUp = signsUp
        self.resetsPasswords = resetsPasswords
    }
}

extension SelfService: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var signUp = false
        var passwordReset = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&signUp)
            case 2: try fields.read(&passwordReset)
            default: break
            }
        }
        self.init(signsUp: signUp, resetsPasswords: passwordReset)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, signsUp)
        fields.put(2, resetsPasswords)
    }
}

/// The fields of `ResetRequest`.
enum ResetRequestFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Email, LoginSource?) {
        var email = ""
        var source = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&source)
            default: break
            }
        }
        return (try Email(wire: email, field: "email"), try source.isEmpty ? nil : LoginSource(wire: source, field: "login.source"))
    }

    static func write(
        _ email: Email, _ source: LoginSource?, into fields: inout FieldWriter
    ) {
        fields.put(1, email.wire)
        if let value = source { fields.put(2, value.wire) }
    }
}

/// The fields of `PasswordReset`.
enum PasswordResetFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Password, Bool) {
        var password = ""
        var retainKeys = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&password)
            case 2: try fields.read(&retainKeys)
            default: break
            }
        }
        return (try Password(wire: password, field: "password"), retainKeys)
    }

    static func write(
        _ to: Password, _ retainsKeys: Bool, into fields: inout FieldWriter
    ) {
        fields.put(1, to.wire)
        fields.put(2, retainsKeys)
    }
}

/// The fields of `PasswordWasReset`.
enum PasswordWasResetFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Email, UInt32, UInt32) {
        var email = ""
        var sessions = UInt32(0)
        var keys = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&sessions)
            case 3: try fields.read(&keys)
            default: break
            }
        }
        return (try Email(wire: email, field: "email"), sessions, keys)
    }

    static func write(
        _ email: Email, _ sessions: UInt32, _ keys: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, email.wire)
        fields.put(2, sessions)
        fields.put(3, keys)
    }
}

/// The two subscriptions on `stream`: the ticket, which opens the stream, and the topic, a prefix of each update's
/// topic.
public struct StreamTicket: Hashable, Sendable {
    /// 32 random bytes. A secret, like a token.
    public let ticket: Token
    /// The account's topic: 1 to 64 bytes.
    public let topic: [UInt8]

    public init(ticket: Token, topic: [UInt8]) {
        self.ticket = ticket
        self.topic = topic
    }
}

extension StreamTicket: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var ticket: [UInt8] = []
        var topic = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&ticket)
            case 2: try fields.read(&topic)
            default: break
            }
        }
        let topicValue = try [UInt8](wire: topic, field: "stream_ticket.topic")
        guard (1...Limits.topicBytes).contains(topicValue.count) else { throw .malformed("stream_ticket.topic", "1 to \(Limits.topicBytes) bytes") }
        self.init(ticket: try Token(wire: ticket, field: "stream_ticket.ticket"), topic: topicValue)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, ticket.wire)
        fields.put(2, topic.wire)
    }
}

/// The fields of `Session`.
enum SessionFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Session, Token?) {
        var token: [UInt8] = []
        var account = ""
        var email = ""
        var role = UInt32(0)
        var isOperator = false
        var cell = ""
        var key: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&token)
            case 2: try fields.read(&account)
            case 3: try fields.read(&email)
            case 4: try fields.read(&role)
            case 5: try fields.read(&isOperator)
            case 6: try fields.read(&cell)
            case 7: try fields.read(&key)
            default: break
            }
        }
        return (Session(account: try AccountID(wire: account, field: "account"), email: try Email(wire: email, field: "email"), role: try Session.Role(wire: role, field: "role"), isOperator: isOperator, cell: try cell.isEmpty ? nil : CellName(wire: cell, field: "cell"), key: try key.map { value throws(WireError) in try APIKey(wire: value) }), try token.isEmpty ? nil : Token(wire: token, field: "token"))
    }

    static func write(
        _ session: Session, _ token: Token?, into fields: inout FieldWriter
    ) {
        if let value = token { fields.put(1, value.wire) }
        fields.put(2, session.account.wire)
        fields.put(3, session.email.wire)
        fields.put(4, session.role.wire)
        fields.put(5, session.isOperator)
        if let value = session.cell { fields.put(6, value.wire) }
        if let value = session.key { fields.put(7, value) }
    }
}

/// The fields of `Logout`.
enum LogoutFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> Bool {
        var everywhere = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&everywhere)
            default: break
            }
        }
        return everywhere
    }

    static func write(
        _ everywhere: Bool, into fields: inout FieldWriter
    ) {
        fields.put(1, everywhere)
    }
}

/// The fields of `SignedOut`.
enum SignedOutFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var sessions = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&sessions)
            default: break
            }
        }
        return sessions
    }

    static func write(
        _ sessions: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, sessions)
    }
}

/// A client's request to change a device.
public struct Command: Hashable, Sendable {
    public let requestID: RequestID
    public let device: DeviceID
    public let kind: Command.Kind
    /// The command applies only if the device has this version.
    public let expected: Expectation?
    /// The client's remaining timeout in milliseconds, 1 to 30,000; absent: 5,000.
    public let timeout: Duration?

    public init(requestID: RequestID, device: DeviceID, kind: Command.Kind, expected: Expectation? = nil, timeout: Duration? = nil) {
        self.requestID = requestID
        self.device = device
        self.kind = kind
        self.expected = expected
        self.timeout = timeout
    }
}

extension Command: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var requestID: FieldReader?
        var device: DeviceID?
        var remainingMs: Int64?
        var expected: FieldReader?
        var kind: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&device)
            case 3: try fields.read(&remainingMs)
            case 4: try fields.read(&expected)
            case 10...11, 40...41: try fields.read(&kind)
            default: break
            }
        }
        self.init(
            requestID: try RequestID(wire: requestID.required("request_id")),
            device: try device.required("device"),
            kind: try Command.Kind(wire: kind.required("kind")),
            expected: try expected.map { value throws(WireError) in try Expectation(wire: value) },
            timeout: try remainingMs.map { value throws(WireError) in try Duration(wire: value, field: "remaining_ms") })
        try verify()
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, device)
        fields.put(3, optional: timeout?.wholeMilliseconds)
        if let value = expected { fields.put(4, value) }
        kind.write(to: &fields)
    }
}

extension Command.Kind {
    /// The case that the message in `Command.kind` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 10: self = .toggle
        case 11: self = .set(try ACStateChange(wire: choice.message))
        case 40: self = .correct(try ACStateChange(wire: choice.message))
        default: self = .configure(try SettingChange(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .toggle: fields.put(10) { _ in }
        case .set(let value): fields.put(11, value)
        case .correct(let value): fields.put(40, value)
        case .configure(let value): fields.put(41, value)
        }
    }
}

/// The fields of `Cancel`.
enum CancelFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID, Duration?) {
        var requestID: FieldReader?
        var remainingMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&remainingMs)
            default: break
            }
        }
        return (try RequestID(wire: requestID.required("request_id")), try remainingMs.map { value throws(WireError) in try Duration(wire: value, field: "remaining_ms") })
    }

    static func write(
        _ requestID: RequestID, _ timeout: Duration?, into fields: inout FieldWriter
    ) {
        fields.put(1, requestID)
        fields.put(2, optional: timeout?.wholeMilliseconds)
    }
}

/// The fields of `CancelReply`.
enum CancelReplyFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID, CancelReply) {
        var requestID: FieldReader?
        var kind = UInt32(0)
        var outcome: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&kind)
            case 3: try fields.read(&outcome)
            default: break
            }
        }
        let kindValue: CancelReply
        switch kind {
        case 1: kindValue = .cancelled
        case 2: kindValue = .tooLate(try OutcomeReport(wire: outcome.required("cancel.outcome")))
        case 3: kindValue = .pending
        default: throw .malformed("cancel.kind", "an answer")
        }
        return (try RequestID(wire: requestID.required("request_id")), kindValue)
    }

    static func write(
        _ requestID: RequestID, _ kind: CancelReply, into fields: inout FieldWriter
    ) {
        fields.put(1, requestID)
        switch kind {
        case .cancelled:
            fields.put(2, UInt32(1))
        case .tooLate(let outcome):
            fields.put(2, UInt32(2))
            fields.put(3, outcome)
        case .pending:
            fields.put(2, UInt32(3))
        }
    }
}

/// The fields of `OutcomeQuery`.
enum OutcomeQueryFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> RequestID {
        var requestID: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            default: break
            }
        }
        return try RequestID(wire: requestID.required("request_id"))
    }

    static func write(
        _ requestID: RequestID, into fields: inout FieldWriter
    ) {
        fields.put(1, requestID)
    }
}

/// The fields of `HistoryPull`.
enum HistoryPullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Duration, UInt32) {
        var backMs = UInt64(0)
        var cursor = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&backMs)
            case 2: try fields.read(&cursor)
            default: break
            }
        }
        let backMsValue = try Duration(wire: backMs, field: "history.back_ms")
        guard backMsValue > .zero && backMsValue <= Limits.longestHistory else { throw .malformed("history.back_ms", "1 ms to \(Limits.longestHistory.wholeMilliseconds) ms") }
        return (backMsValue, cursor)
    }

    static func write(
        _ back: Duration, _ cursor: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, UInt64(clamping: back.wholeMilliseconds))
        fields.put(2, cursor)
    }
}

/// Some of the account's requests that ended in that period, in no order. A chunk may be empty although more follow.
public struct HistoryChunk: Hashable, Sendable {
    public var nextCursor: UInt32
    /// Whether this is the last chunk.
    public var isLast: Bool
    /// Requests made at or before this time may be missing: forgotten, or not read yet. Unix milliseconds; 0: none are
    /// missing.
    public var completeSince: WallTime?
    /// The outcomes; may be empty even if more chunks follow.
    public var outcomes: [HistoryChunk.PastOutcome]

    public init(nextCursor: UInt32 = 0, isLast: Bool = false, completeSince: WallTime? = nil, outcomes: [HistoryChunk.PastOutcome] = []) {
        self.nextCursor = nextCursor
        self.isLast = isLast
        self.completeSince = completeSince
        self.outcomes = outcomes
    }
}

extension HistoryChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var nextCursor = UInt32(0)
        var done = false
        var completeSinceMs = Int64(0)
        var outcomes: [HistoryChunk.PastOutcome] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&nextCursor)
            case 2: try fields.read(&done)
            case 3: try fields.read(&completeSinceMs)
            case 4: try fields.read(&outcomes)
            default: break
            }
        }
        self.init(
            nextCursor: nextCursor,
            isLast: done,
            completeSince: try completeSinceMs == 0 ? nil : WallTime(wire: completeSinceMs, field: "complete_since_ms"),
            outcomes: outcomes)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, nextCursor)
        fields.put(2, isLast)
        if let value = completeSince { fields.put(3, value.wire) }
        for value in outcomes { fields.put(4, value) }
    }
}

extension HistoryChunk {
    /// A request's end with its time.
    public struct PastOutcome: Hashable, Sendable {
        /// Unix milliseconds.
        public let endedAt: WallTime
        public let report: OutcomeReport

        public init(endedAt: WallTime, report: OutcomeReport) {
            self.endedAt = endedAt
            self.report = report
        }
    }
}

extension HistoryChunk.PastOutcome: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var endedMs = Int64(0)
        var report: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&endedMs)
            case 2: try fields.read(&report)
            default: break
            }
        }
        self.init(
            endedAt: try WallTime(wire: endedMs, field: "outcomes.ended_ms"),
            report: try OutcomeReport(wire: report.required("outcomes.report")))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, endedAt.wire)
        fields.put(2, report)
    }
}

/// The fields of `SnapshotPull`.
enum SnapshotPullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (UInt32, UInt32) {
        var cursor = UInt32(0)
        var end = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cursor)
            case 2: try fields.read(&end)
            default: break
            }
        }
        return (cursor, end)
    }

    static func write(
        _ cursor: UInt32, _ end: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, cursor)
        fields.put(2, end)
    }
}

extension SnapshotChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var epoch = UInt64(0)
        var sequence = UInt64(0)
        var nextCursor = UInt32(0)
        var done = false
        var settling = false
        var endCursor = UInt32(0)
        var devices = UInt32(0)
        var device: [DeviceID] = []
        var name: [String] = []
        var node: [UInt32] = []
        var incarnation: [UInt64] = []
        var version: [UInt64] = []
        var connected: [Bool] = []
        var connectedSinceMs: [Int64] = []
        var asOfMs: [Int64] = []
        var on: [Bool] = []
        var mode: [UInt32] = []
        var targetTemperature: [Int32] = []
        var fanLevel: [UInt32] = []
        var swing: [UInt32] = []
        var horizontalSwing: [UInt32] = []
        var light: [UInt32] = []
        var temperatureUnit: [UInt32] = []
        var nodes: [SnapshotChunk.Node] = []
        var group: [UInt32] = []
        var groups: [SnapshotChunk.Group] = []
        var cause: [UInt32] = []
        var settings: [RowSettings] = []
        var measured = MeasuredColumns()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&epoch)
            case 2: try fields.read(&sequence)
            case 3: try fields.read(&nextCursor)
            case 4: try fields.read(&done)
            case 5: try fields.read(&settling)
            case 6: try fields.read(&endCursor)
            case 7: try fields.read(&devices)
            case 10: try fields.read(&device, field: "device")
            case 11: try fields.read(&name)
            case 12: try fields.read(&node)
            case 13: try fields.read(fixed: &incarnation)
            case 14: try fields.read(&version)
            case 15: try fields.read(&connected)
            case 16: try fields.read(&connectedSinceMs)
            case 17: try fields.read(&asOfMs)
            case 18: try fields.read(&on)
            case 19: try fields.read(&mode)
            case 20: try fields.read(&targetTemperature)
            case 21: try fields.read(&fanLevel)
            case 22: try fields.read(&swing)
            case 23: try fields.read(&horizontalSwing)
            case 24: try fields.read(&light)
            case 25: try fields.read(&temperatureUnit)
            case 30: try fields.read(&nodes)
            case 31: try fields.read(&group)
            case 32: try fields.read(&groups)
            case 38: try fields.read(&cause)
            case 39: try fields.read(&settings)
            case 33...37: try measured.read(field - 33, of: &fields)
            default: break
            }
        }
        guard
            name.count == device.count,
            node.count == device.count,
            incarnation.count == device.count,
            version.count == device.count,
            connected.count == device.count,
            connectedSinceMs.count == device.count,
            asOfMs.count == device.count,
            on.count == device.count,
            mode.count == device.count,
            targetTemperature.count == device.count,
            fanLevel.count == device.count,
            swing.count == device.count,
            horizontalSwing.count == device.count,
            light.count == device.count,
            temperatureUnit.count == device.count,
            group.isEmpty || group.count == device.count,
            cause.isEmpty || cause.count == device.count,
            measured.areAbsent || measured.areOfLength(device.count)
        else { throw .malformed("snapshot", "columns of one length") }
        guard device.count <= Limits.chunkRows else {
            throw .malformed("rows", "at most \(Limits.chunkRows)")
        }
        let settingsByRow = RowSettings.byRow(settings)
        var rowsValue: [SnapshotChunk.Row] = []
        rowsValue.reserveCapacity(device.count)
        for index in device.indices {
            rowsValue.append(
                SnapshotChunk.Row(
                    device: device[index],
                    name: try name[index].checked(bytes: Limits.nameBytes, field: "name"),
                    node: try NodeIndex(wire: node[index], field: "node"),
                    group: group.isEmpty ? .none : try GroupNumber(wire: group[index], field: "group"),
                    reported: DeviceState(state: ACState(isOn: on[index], mode: try ACMode(wire: mode[index], field: "mode"), targetTemperature: try Int8(wire: targetTemperature[index], field: "target_temperature"), temperatureUnit: try TemperatureUnit(wire: temperatureUnit[index], field: "temperature_unit"), fanLevel: try FanLevel(wire: fanLevel[index], field: "fan_level"), swing: try Swing(wire: swing[index], field: "swing"), horizontalSwing: try HorizontalSwing(wire: horizontalSwing[index], field: "horizontal_swing"), light: try Light(wire: light[index], field: "light")), version: try Version(wire: version[index], field: "version"), incarnation: try Incarnation(wire: incarnation[index], field: "incarnation")),
                    isConnected: connected[index],
                    connectedSince: try WallTime(wire: connectedSinceMs[index], field: "connected_since_ms"),
                    asOf: try WallTime(wire: asOfMs[index], field: "as_of_ms"),
                    cause: cause.isEmpty ? .request : try ChangeCause(wire: cause[index], field: "cause"),
                    measured: try measured.value(at: index),
                    settings: settingsByRow[index]))
        }
        self.init(
            epoch: try Epoch(wire: epoch, field: "epoch"),
            sequence: try StreamSequence(wire: sequence, field: "sequence"),
            nextCursor: nextCursor,
            isLast: done,
            isSettling: settling,
            endCursor: endCursor,
            deviceCount: devices,
            nodes: nodes,
            groups: groups,
            rows: rowsValue)
    }

    func write(to fields: inout FieldWriter) {
        fields.reserve(96 * rows.count)
        fields.put(1, epoch.wire)
        fields.put(2, sequence.wire)
        fields.put(3, nextCursor)
        fields.put(4, isLast)
        fields.put(5, isSettling)
        fields.put(6, endCursor)
        fields.put(7, deviceCount)
        fields.put(10, devices: rows.count) { rows[$0].device }
        for place in rows.indices { fields.put(11, element: rows[place].name) }
        fields.put(12, column: rows.count) { rows[$0].node.wire }
        fields.put(13, fixedColumn: rows.count) { rows[$0].reported.incarnation.wire }
        fields.put(14, column: rows.count) { rows[$0].reported.version.wire }
        fields.put(15, column: rows.count) { rows[$0].isConnected }
        fields.put(16, column: rows.count) { rows[$0].connectedSince.wire }
        fields.put(17, column: rows.count) { rows[$0].asOf.wire }
        fields.put(18, column: rows.count) { rows[$0].reported.state.isOn }
        fields.put(19, column: rows.count) { rows[$0].reported.state.mode.wire }
        fields.put(20, column: rows.count) { Int32(rows[$0].reported.state.targetTemperature) }
        fields.put(21, column: rows.count) { rows[$0].reported.state.fanLevel.wire }
        fields.put(22, column: rows.count) { rows[$0].reported.state.swing.wire }
        fields.put(23, column: rows.count) { rows[$0].reported.state.horizontalSwing.wire }
        fields.put(24, column: rows.count) { rows[$0].reported.state.light.wire }
        fields.put(25, column: rows.count) { rows[$0].reported.state.temperatureUnit.wire }
        for value in nodes { fields.put(30, value) }
        if rows.indices.contains(where: { rows[$0].group != .none }) {
            fields.put(31, column: rows.count) { rows[$0].group.wire }
        }
        for value in groups { fields.put(32, value) }
        MeasuredColumns.write(rows.count, from: 33, to: &fields) { rows[$0].measured }
        if rows.indices.contains(where: { rows[$0].cause != .request }) {
            fields.put(38, column: rows.count) { rows[$0].cause.wire }
        }
        for place in rows.indices {
            guard let value = rows[place].settings else { continue }
            fields.put(39, RowSettings(UInt32(place), value))
        }
    }
}

extension SnapshotChunk {
    /// One node.
    public struct Node: Hashable, Sendable {
        public let index: NodeIndex
        public let name: NodeName
        public let presence: Presence

        public init(index: NodeIndex, name: NodeName, presence: Presence) {
            self.index = index
            self.name = name
            self.presence = presence
        }
    }
}

extension SnapshotChunk.Node: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var node = UInt32(0)
        var name = ""
        var presence: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&node)
            case 2: try fields.read(&name)
            case 3: try fields.read(&presence)
            default: break
            }
        }
        self.init(
            index: try NodeIndex(wire: node, field: "node"),
            name: try NodeName(wire: name, field: "node"),
            presence: try Presence(wire: presence.required("node.presence")))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, index.wire)
        fields.put(2, name.wire)
        fields.put(3, presence)
    }
}

/// The status of one account's fleet.
public struct StatusReport: Hashable, Sendable {
    public var epoch: Epoch
    public var devices: UInt32
    public var online: UInt32
    /// The number of devices whose node has sent nothing for a moment.
    public var stale: UInt32
    public var offline: UInt32
    /// The offline devices whose node is online: they have lost their own connection.
    public var disconnected: UInt32
    /// The devices whose node has not sent a hello yet.
    public var unknown: UInt32
    /// Requests that ended in the last second.
    public var togglesPerSecond: Double
    /// Requests that have not ended.
    public var pending: UInt32
    /// The longest time between two turns of the controller's loop in the last second.
    public var loopLagUs: UInt64
    /// Nodes with two processes; at most 16.
    public var conflicts: [NodeConflict]

    public init(epoch: Epoch, devices: UInt32 = 0, online: UInt32 = 0, stale: UInt32 = 0, offline: UInt32 = 0, disconnected: UInt32 = 0, unknown: UInt32 = 0, togglesPerSecond: Double = 0, pending: UInt32 = 0, loopLagUs: UInt64 = 0, conflicts: [NodeConflict] = []) {
        self.epoch = epoch
        self.devices = devices
        self.online = online
        self.stale = stale
        self.offline = offline
        self.disconnected = disconnected
        self.unknown = unknown
        self.togglesPerSecond = togglesPerSecond
        self.pending = pending
        self.loopLagUs = loopLagUs
        self.conflicts = conflicts
    }
}

extension StatusReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var epoch = UInt64(0)
        var devices = UInt32(0)
        var online = UInt32(0)
        var stale = UInt32(0)
        var offline = UInt32(0)
        var unknown = UInt32(0)
        var togglesPerSecond = 0.0
        var pending = UInt32(0)
        var loopLagUs = UInt64(0)
        var disconnected = UInt32(0)
        var conflicts: [NodeConflict] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&epoch)
            case 2: try fields.read(&devices)
            case 3: try fields.read(&online)
            case 4: try fields.read(&stale)
            case 5: try fields.read(&offline)
            case 6: try fields.read(&unknown)
            case 7: try fields.read(&togglesPerSecond)
            case 8: try fields.read(&pending)
            case 9: try fields.read(&loopLagUs)
            case 10: try fields.read(&disconnected)
            case 11: try fields.read(&conflicts)
            default: break
            }
        }
        guard togglesPerSecond >= 0 && togglesPerSecond.isFinite else { throw .malformed("toggles_per_second", "0 or more") }
        guard conflicts.count <= Limits.nodeConflicts else { throw .malformed("conflicts", "at most \(Limits.nodeConflicts)") }
        self.init(
            epoch: try Epoch(wire: epoch, field: "epoch"),
            devices: devices,
            online: online,
            stale: stale,
            offline: offline,
            disconnected: disconnected,
            unknown: unknown,
            togglesPerSecond: togglesPerSecond,
            pending: pending,
            loopLagUs: loopLagUs,
            conflicts: conflicts)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, epoch.wire)
        fields.put(2, devices)
        fields.put(3, online)
        fields.put(4, stale)
        fields.put(5, offline)
        fields.put(6, unknown)
        fields.put(7, togglesPerSecond)
        fields.put(8, pending)
        fields.put(9, loopLagUs)
        fields.put(10, disconnected)
        for value in conflicts { fields.put(11, value) }
    }
}

/// Two processes run as one node, and the later one is refused.
public struct NodeConflict: Hashable, Sendable {
    public let node: NodeName
    /// The process that the devices belong to.
    public let serving: NodeRun
    public let refused: NodeRun

    public init(node: NodeName, serving: NodeRun, refused: NodeRun) {
        self.node = node
        self.serving = serving
        self.refused = refused
    }
}

extension NodeConflict: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var node = ""
        var serving: FieldReader?
        var refused: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&node)
            case 2: try fields.read(&serving)
            case 3: try fields.read(&refused)
            default: break
            }
        }
        self.init(
            node: try NodeName(wire: node, field: "node"),
            serving: try NodeRun(wire: serving.required("serving")),
            refused: try NodeRun(wire: refused.required("refused")))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, node.wire)
        fields.put(2, serving)
        fields.put(3, refused)
    }
}

/// One run of a node process.
public struct NodeRun: Hashable, Sendable {
    /// The name of its machine, as in Hello.
    public let host: String
    public let bootID: BootID

    public init(host: String = "", bootID: BootID) {
        self.host = host
        self.bootID = bootID
    }
}

extension NodeRun: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var host = ""
        var bootID = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&host)
            case 2: try fields.read(fixed: &bootID)
            default: break
            }
        }
        self.init(
            host: try host.checked(bytes: Limits.hostBytes, field: "host"),
            bootID: try BootID(wire: bootID, field: "boot_id"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, host)
        fields.put(2, fixed: bootID.wire)
    }
}

/// The fields of `CounterPull`.
enum CounterPullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var cursor = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cursor)
            default: break
            }
        }
        return cursor
    }

    static func write(
        _ cursor: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, cursor)
    }
}

/// Counters of the processes of the account's fleet.
public struct CounterReport: Hashable, Sendable {
    public let controller: CounterReport.Controller
    /// The account's online nodes that have reported counters; at most 100.
    public let nodes: [CounterReport.Node]
    public let nextCursor: UInt32
    /// Whether this is the last report.
    public let isLast: Bool

    public init(controller: CounterReport.Controller, nodes: [CounterReport.Node] = [], nextCursor: UInt32 = 0, isLast: Bool = false) {
        self.controller = controller
        self.nodes = nodes
        self.nextCursor = nextCursor
        self.isLast = isLast
    }
}

extension CounterReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var nextCursor = UInt32(0)
        var done = false
        var controller: FieldReader?
        var nodes: [CounterReport.Node] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&nextCursor)
            case 2: try fields.read(&done)
            case 3: try fields.read(&controller)
            case 4: try fields.read(&nodes)
            default: break
            }
        }
        guard nodes.count <= Limits.counterNodes else { throw .malformed("counters.nodes", "at most \(Limits.counterNodes)") }
        self.init(
            controller: try CounterReport.Controller(wire: controller ?? FieldReader([])),
            nodes: nodes,
            nextCursor: nextCursor,
            isLast: done)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, nextCursor)
        fields.put(2, isLast)
        fields.put(3, controller)
        for value in nodes { fields.put(4, value) }
    }
}

extension CounterReport {
    /// Counts since the start of the controller process, over all accounts.
    public struct Controller: Hashable, Sendable {
        /// Requests of all kinds received from clients, including repeats.
        public var requests: UInt64
        /// Ended commands.
        public var ended: UInt64
        /// Commands sent to nodes, including repeats.
        public var commands: UInt64
        /// Messages received on `devices`.
        public var nodeMessages: UInt64
        /// Messages received on `telemetry`.
        public var telemetryMessages: UInt64
        /// Messages of nodes, and rows in them, that were discarded: late, duplicate or invalid.
        public var nodeRefusals: UInt64

        public init(requests: UInt64 = 0, ended: UInt64 = 0, commands: UInt64 = 0, nodeMessages: UInt64 = 0, telemetryMessages: UInt64 = 0, nodeRefusals: UInt64 = 0) {
            self.requests = requests
            self.ended = ended
            self.commands = commands
            self.nodeMessages = nodeMessages
            self.telemetryMessages = telemetryMessages
            self.nodeRefusals = nodeRefusals
        }
    }
}

extension CounterReport.Controller: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var requests = UInt64(0)
        var ended = UInt64(0)
        var commands = UInt64(0)
        var nodeMessages = UInt64(0)
        var telemetryMessages = UInt64(0)
        var nodeRefusals = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requests)
            case 2: try fields.read(&ended)
            case 3: try fields.read(&commands)
            case 4: try fields.read(&nodeMessages)
            case 5: try fields.read(&telemetryMessages)
            case 6: try fields.read(&nodeRefusals)
            default: break
            }
        }
        self.init(
            requests: requests,
            ended: ended,
            commands: commands,
            nodeMessages: nodeMessages,
            telemetryMessages: telemetryMessages,
            nodeRefusals: nodeRefusals)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requests)
        fields.put(2, ended)
        fields.put(3, commands)
        fields.put(4, nodeMessages)
        fields.put(5, telemetryMessages)
        fields.put(6, nodeRefusals)
    }
}

extension CounterReport {
    /// A node's counters.
    public struct Node: Hashable, Sendable {
        public let name: NodeName
        /// The last counters that the node reported.
        public let counters: NodeCounters
        /// The name of the node's machine.
        public let host: String
        /// The number of its devices.
        public let devices: UInt32

        public init(name: NodeName, counters: NodeCounters, host: String = "", devices: UInt32 = 0) {
            self.name = name
            self.counters = counters
            self.host = host
            self.devices = devices
        }
    }
}

extension CounterReport.Node: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var node = ""
        var counters: FieldReader?
        var host = ""
        var devices = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&node)
            case 2: try fields.read(&counters)
            case 3: try fields.read(&host)
            case 4: try fields.read(&devices)
            default: break
            }
        }
        self.init(
            name: try NodeName(wire: node, field: "node"),
            counters: try NodeCounters(wire: counters.required("counters.nodes.counters")),
            host: host,
            devices: devices)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name.wire)
        fields.put(2, counters)
        fields.put(3, host)
        fields.put(4, devices)
    }
}

/// The fields of `Inject`.
enum InjectFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Fault, [DeviceID], Duration, Duration) {
        var fault = UInt32(0)
        var devices: [DeviceID] = []
        var durationMs = UInt32(0)
        var delayMs = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&fault)
            case 2: try fields.read(&devices, field: "devices")
            case 3: try fields.read(&durationMs)
            case 4: try fields.read(&delayMs)
            default: break
            }
        }
        guard (1...Limits.faultDevices).contains(devices.count) else { throw .malformed("devices", "1 to \(Limits.faultDevices)") }
        let durationMsValue = try Duration(wire: durationMs, field: "duration_ms")
        guard durationMsValue <= Limits.longestFault else { throw .malformed("duration_ms", "at most a day") }
        let delayMsValue = try Duration(wire: delayMs, field: "delay_ms")
        guard delayMsValue <= Limits.longestDelay else { throw .malformed("delay_ms", "at most 30 s") }
        return (try Fault(wire: fault, field: "fault"), devices, durationMsValue, delayMsValue)
    }

    static func write(
        _ fault: Fault, _ devices: [DeviceID], _ duration: Duration, _ delay: Duration, into fields: inout FieldWriter
    ) {
        fields.put(1, fault.wire)
        fields.put(2, devices: devices.count) { devices[$0] }
        fields.put(3, UInt32(clamping: duration.wholeMilliseconds))
        fields.put(4, UInt32(clamping: delay.wholeMilliseconds))
    }
}

/// The fields of `Injected`.
enum InjectedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var devices = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices)
            default: break
            }
        }
        return devices
    }

    static func write(
        _ devices: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, devices)
    }
}

/// An active fault of a device.
public struct ActiveFault: Hashable, Sendable {
    public let device: DeviceID
    /// The fault; never one without a duration.
    public let fault: Fault
    public let remaining: Duration
    /// The delay of a slow device.
    public let delay: Duration

    public init(device: DeviceID, fault: Fault, remaining: Duration = .zero, delay: Duration = .zero) {
        self.device = device
        self.fault = fault
        self.remaining = remaining
        self.delay = delay
    }
}

extension ActiveFault: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: DeviceID?
        var fault = UInt32(0)
        var remainingMs = UInt32(0)
        var delayMs = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&fault)
            case 3: try fields.read(&remainingMs)
            case 4: try fields.read(&delayMs)
            default: break
            }
        }
        let remainingMsValue = try Duration(wire: remainingMs, field: "duration_ms")
        guard remainingMsValue <= Limits.longestFault else { throw .malformed("duration_ms", "at most a day") }
        let delayMsValue = try Duration(wire: delayMs, field: "delay_ms")
        guard delayMsValue <= Limits.longestDelay else { throw .malformed("delay_ms", "at most 30 s") }
        self.init(
            device: try device.required("device"),
            fault: try Fault(wire: fault, field: "fault"),
            remaining: remainingMsValue,
            delay: delayMsValue)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, fault.wire)
        fields.put(3, UInt32(clamping: remaining.wholeMilliseconds))
        fields.put(4, UInt32(clamping: delay.wholeMilliseconds))
    }
}

/// The active faults of a node's devices, or of an account's.
public struct FaultList: Hashable, Sendable {
    /// At most 1,000.
    public var faults: [ActiveFault]
    /// The number of all active faults, including those that are not listed.
    public var total: UInt32
    /// The number of nodes that have not answered in time.
    public var silentNodes: UInt32

    public init(faults: [ActiveFault] = [], total: UInt32 = 0, silentNodes: UInt32 = 0) {
        self.faults = faults
        self.total = total
        self.silentNodes = silentNodes
    }
}

extension FaultList: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var faults: [ActiveFault] = []
        var total = UInt32(0)
        var silentNodes = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&faults)
            case 2: try fields.read(&total)
            case 3: try fields.read(&silentNodes)
            default: break
            }
        }
        guard faults.count <= Limits.listedFaults else { throw .malformed("faults", "at most \(Limits.listedFaults)") }
        guard total >= UInt32(faults.count) else {
            throw .malformed("total", "at least the number of listed faults")
        }
        self.init(faults: faults, total: total, silentNodes: silentNodes)
    }

    func write(to fields: inout FieldWriter) {
        for value in faults { fields.put(1, value) }
        fields.put(2, total)
        fields.put(3, silentNodes)
    }
}

/// The fields of `Heal`.
enum HealFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> [DeviceID] {
        var devices: [DeviceID] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices, field: "heal.devices")
            default: break
            }
        }
        guard devices.count <= Limits.faultDevices else { throw .malformed("heal.devices", "at most \(Limits.faultDevices)") }
        return devices
    }

    static func write(
        _ devices: [DeviceID], into fields: inout FieldWriter
    ) {
        fields.put(1, devices: devices.count) { devices[$0] }
    }
}

/// The fields of `ScenarioChange`.
enum ScenarioChangeFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (String, WallTime?) {
        var scenario = ""
        var beganMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&scenario)
            case 2: try fields.read(&beganMs)
            default: break
            }
        }
        guard (1...Limits.scenarioBytes).contains(scenario.utf8.count) else { throw .malformed("scenario", "1 to \(Limits.scenarioBytes) bytes") }
        return (scenario, try beganMs.map { value throws(WireError) in try WallTime(wire: value, field: "began_ms") })
    }

    static func write(
        _ scenario: String, _ beganAt: WallTime?, into fields: inout FieldWriter
    ) {
        fields.put(1, scenario)
        fields.put(2, optional: beganAt?.wire)
    }
}

/// The fields of `Retire`.
enum RetireFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> [DeviceID] {
        var devices: [DeviceID] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices, field: "retire.devices")
            default: break
            }
        }
        guard devices.count <= Limits.faultDevices else { throw .malformed("retire.devices", "at most \(Limits.faultDevices)") }
        return devices
    }

    static func write(
        _ devices: [DeviceID], into fields: inout FieldWriter
    ) {
        fields.put(1, devices: devices.count) { devices[$0] }
    }
}

/// The replies of the account's nodes to an order.
public struct OrderReport: Hashable, Sendable {
    /// The number of devices that it applied to.
    public var devices: UInt32
    /// The number of nodes that executed it.
    public var nodes: UInt32
    /// The number of nodes that have not answered in time.
    public var silentNodes: UInt32
    /// The number of nodes that could not execute it, and are unchanged.
    public var refusingNodes: UInt32
    /// The number of nodes that executed it, but whose devices differ from the scenario's.
    public var unchangedPopulations: UInt32

    public init(devices: UInt32 = 0, nodes: UInt32 = 0, silentNodes: UInt32 = 0, refusingNodes: UInt32 = 0, unchangedPopulations: UInt32 = 0) {
        self.devices = devices
        self.nodes = nodes
        self.silentNodes = silentNodes
        self.refusingNodes = refusingNodes
        self.unchangedPopulations = unchangedPopulations
    }
}

extension OrderReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var devices = UInt32(0)
        var nodes = UInt32(0)
        var silentNodes = UInt32(0)
        var refusingNodes = UInt32(0)
        var unchangedPopulations = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices)
            case 2: try fields.read(&nodes)
            case 3: try fields.read(&silentNodes)
            case 4: try fields.read(&refusingNodes)
            case 5: try fields.read(&unchangedPopulations)
            default: break
            }
        }
        self.init(
            devices: devices,
            nodes: nodes,
            silentNodes: silentNodes,
            refusingNodes: refusingNodes,
            unchangedPopulations: unchangedPopulations)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices)
        fields.put(2, nodes)
        fields.put(3, silentNodes)
        fields.put(4, refusingNodes)
        fields.put(5, unchangedPopulations)
    }
}

/// A user, who can log in.
public struct User: Hashable, Sendable {
    /// The email that the user logs in with.
    public let email: Email
    public let role: Session.Role
    /// Whether the user is an operator, who may inject faults, scale the fleet and manage users.
    public let isOperator: Bool

    public init(email: Email, role: Session.Role, isOperator: Bool = false) {
        self.email = email
        self.role = role
        self.isOperator = isOperator
    }
}

extension User: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var email = ""
        var role = UInt32(0)
        var isOperator = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&role)
            case 3: try fields.read(&isOperator)
            default: break
            }
        }
        self.init(
            email: try Email(wire: email, field: "email"),
            role: try Session.Role(wire: role, field: "role"),
            isOperator: isOperator)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, email.wire)
        fields.put(2, role.wire)
        fields.put(3, isOperator)
    }
}

/// The fields of `UserAddition`.
enum UserAdditionFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (User, Password) {
        var user: FieldReader?
        var password = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&user)
            case 2: try fields.read(&password)
            default: break
            }
        }
        return (try User(wire: user ?? FieldReader([])), try Password(wire: password, field: "password"))
    }

    static func write(
        _ user: User, _ password: Password, into fields: inout FieldWriter
    ) {
        fields.put(1, user)
        fields.put(2, password.wire)
    }
}

/// The fields of `UserList`.
enum UserListFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> [User] {
        var users: [User] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&users)
            default: break
            }
        }
        guard users.count <= Limits.accountUsers else { throw .malformed("users", "at most \(Limits.accountUsers)") }
        return users
    }

    static func write(
        _ users: [User], into fields: inout FieldWriter
    ) {
        for value in users { fields.put(1, value) }
    }
}

/// The fields of `KeyAddition`.
enum KeyAdditionFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (APIKey.Name, TokenDigest, APIKey.Scope) {
        var name = ""
        var digest: [UInt8] = []
        var scope = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&digest)
            case 3: try fields.read(&scope)
            default: break
            }
        }
        return (try APIKey.Name(wire: name, field: "key.name"), try TokenDigest(wire: digest, field: "key.digest"), try APIKey.Scope(wire: scope, field: "key.scope"))
    }

    static func write(
        _ name: APIKey.Name, _ digest: TokenDigest, _ scope: APIKey.Scope, into fields: inout FieldWriter
    ) {
        fields.put(1, name.wire)
        fields.put(2, digest.wire)
        fields.put(3, scope.wire)
    }
}

/// The fields of `KeyRevocation`.
enum KeyRevocationFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> APIKey.Name {
        var name = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            default: break
            }
        }
        return try APIKey.Name(wire: name, field: "key.name")
    }

    static func write(
        _ name: APIKey.Name, into fields: inout FieldWriter
    ) {
        fields.put(1, name.wire)
    }
}

/// A long-lived credential that a user creates for a program. It grants the user's rights within its scope until it is
/// revoked.
public struct APIKey: Hashable, Sendable {
    /// The key's name, unique for its user.
    public let name: APIKey.Name
    /// The user that the key belongs to.
    public let user: Email
    /// The time at which the key was created.
    public let madeAt: WallTime
    public let scope: APIKey.Scope

    public init(name: APIKey.Name, user: Email, madeAt: WallTime, scope: APIKey.Scope = .switch) {
        self.name = name
        self.user = user
        self.madeAt = madeAt
        self.scope = scope
    }
}

extension APIKey: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var name = ""
        var user = ""
        var madeAtMs = Int64(0)
        var scope = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&user)
            case 3: try fields.read(&madeAtMs)
            case 4: try fields.read(&scope)
            default: break
            }
        }
        self.init(
            name: try APIKey.Name(wire: name, field: "key.name"),
            user: try Email(wire: user, field: "email"),
            madeAt: try WallTime(wire: madeAtMs, field: "key.made_at_ms"),
            scope: try APIKey.Scope(wire: scope, field: "key.scope"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name.wire)
        fields.put(2, user.wire)
        fields.put(3, madeAt.wire)
        fields.put(4, scope.wire)
    }
}

/// The fields of `APIKeyList`.
enum APIKeyListFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> [APIKey] {
        var keys: [APIKey] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&keys)
            default: break
            }
        }
        guard keys.count <= Limits.userKeys else { throw .malformed("keys", "at most \(Limits.userKeys)") }
        return keys
    }

    static func write(
        _ keys: [APIKey], into fields: inout FieldWriter
    ) {
        for value in keys { fields.put(1, value) }
    }
}

/// The fields of `UserRemoval`.
enum UserRemovalFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> Email {
        var email = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            default: break
            }
        }
        return try Email(wire: email, field: "email")
    }

    static func write(
        _ email: Email, into fields: inout FieldWriter
    ) {
        fields.put(1, email.wire)
    }
}

/// The fields of `UserRemoved`.
enum UserRemovedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var sessions = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&sessions)
            default: break
            }
        }
        return sessions
    }

    static func write(
        _ sessions: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, sessions)
    }
}

/// The fields of `PasswordChange`.
enum PasswordChangeFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Email, Password, Bool) {
        var email = ""
        var password = ""
        var retainKeys = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&password)
            case 3: try fields.read(&retainKeys)
            default: break
            }
        }
        return (try Email(wire: email, field: "email"), try Password(wire: password, field: "password"), retainKeys)
    }

    static func write(
        _ email: Email, _ to: Password, _ retainsKeys: Bool, into fields: inout FieldWriter
    ) {
        fields.put(1, email.wire)
        fields.put(2, to.wire)
        fields.put(3, retainsKeys)
    }
}

/// The fields of `RoleChange`.
enum RoleChangeFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Email, Session.Role) {
        var email = ""
        var role = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&role)
            default: break
            }
        }
        return (try Email(wire: email, field: "email"), try Session.Role(wire: role, field: "role"))
    }

    static func write(
        _ email: Email, _ to: Session.Role, into fields: inout FieldWriter
    ) {
        fields.put(1, email.wire)
        fields.put(2, to.wire)
    }
}

/// The fields of `PasswordChanged`.
enum PasswordChangedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (UInt32, UInt32) {
        var sessions = UInt32(0)
        var keys = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&sessions)
            case 2: try fields.read(&keys)
            default: break
            }
        }
        return (sessions, keys)
    }

    static func write(
        _ sessions: UInt32, _ keys: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, sessions)
        fields.put(2, keys)
    }
}
