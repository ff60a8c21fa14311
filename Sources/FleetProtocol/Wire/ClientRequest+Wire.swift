extension ClientRequest: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes)
        var (version, correlation, token, body) = (UInt32(0), UInt64(0), [UInt8](), Choice?.none)
        var isUnattended = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&correlation)
            case 3: try fields.read(&token)
            case 4: try fields.read(&isUnattended)
            case 10...22, 30...34, 40...45, 50...57, 60...67, 70...73, 80...83, 90...93:
                try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: version)
        do throws(WireError) {
            let token = try Token(wire: token)
            guard let body else { throw .missing("body: a request of a kind that this version knows") }
            self.init(
                correlation: correlation, token: token, isUnattended: isUnattended,
                body: try Body(wire: body))
        } catch {
            throw error.answering(correlation)
        }
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, correlation)
            if let token { fields.put(3, token.bytes) }
            fields.put(4, isUnattended)
            body.write(to: &fields)
        }
    }
}

extension ClientRequest.Body {
    fileprivate init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 10:
            self = try Login(wire: body.message).body
        case 11: self = .logout(everywhere: try body.message.firstTruth())
        case 12: self = .command(try Command(wire: body.message))
        case 13:
            let cancel = try Cancel(wire: body.message)
            self = .cancel(cancel.requestID, patience: cancel.patience)
        case 14: self = .outcome(try RequestID(wire: body.message.firstMessage()))
        case 15:
            let (cursor, end) = try body.message.firstNumbers()
            self = .snapshot(cursor: cursor, end: end)
        case 16: self = .status
        case 17:
            let order = try FaultOrder(wire: body.message)
            self = .inject(
                order.fault, devices: order.devices, duration: order.duration, delay: order.delay)
        case 18:
            let addition = try UserAddition(wire: body.message)
            self = .addUser(addition.user, password: addition.password)
        case 19: self = .users
        case 20: self = .removeUser(try Email(wire: try body.message.firstTexts().0))
        case 30: self = .heal(try DeviceList(wire: body.message, field: "heal.devices").devices)
        case 31: self = .scenario(try ScenarioOrder.checked(try body.message.firstTexts().0))
        case 32: self = .retire(try DeviceList(wire: body.message, field: "retire.devices").devices)
        case 33:
            let pull = try HistoryPull(wire: body.message)
            self = .history(back: pull.back, cursor: pull.cursor)
        case 34: self = .faults
        case 40:
            let addition = try KeyAddition(wire: body.message)
            self = .addKey(addition.name, addition.digest, addition.scope)
        case 41: self = .keys
        case 42: self = .revokeKey(try APIKey.Name(wire: try body.message.firstTexts().0))
        case 43: self = .who
        case 44: self = .counters(cursor: try body.message.firstNumber())
        case 45: self = .streamTicket
        case 50...57: self = try Self.logbook(body)
        case 60...67: self = .sites(try SiteRequest(wire: body))
        case 70...73: self = .wayIn(try WayInRequest(wire: body))
        case 80...83: self = .roster(try RosterRequest(wire: body))
        case 90...93: self = .sequences(try SequenceRequest(wire: body))
        case 22:
            let change = try RoleChange(wire: body.message)
            self = .changeRole(change.email, to: change.role)
        default:
            let change = try PasswordChange(wire: body.message)
            self = .changePassword(change.email, to: change.password, keepsKeys: change.keepsKeys)
        }
    }

    fileprivate func write(to fields: inout FieldWriter) {
        switch self {
        case .login(let email, let password, let source): fields.put(10, Login(email, password, source))
        case .logout(let everywhere): fields.put(11) { $0.put(1, everywhere) }
        case .command(let command): fields.put(12, command)
        case .cancel(let requestID, let patience): fields.put(13, Cancel(requestID, patience))
        case .outcome(let requestID): fields.put(14) { $0.put(1, requestID) }
        case .snapshot(let cursor, let end):
            fields.put(15) {
                $0.put(1, cursor)
                $0.put(2, end)
            }
        case .status: fields.put(16) { _ in }
        case .inject(let fault, let devices, let duration, let delay):
            fields.put(17, FaultOrder(fault, devices, duration, delay))
        case .addUser(let user, let password): fields.put(18, UserAddition(user, password))
        case .users: fields.put(19) { _ in }
        case .removeUser(let email): fields.put(20) { $0.put(1, email.address) }
        case .changePassword(let email, let password, let keepsKeys):
            fields.put(21, PasswordChange(email, password, keepsKeys))
        case .changeRole(let email, let role): fields.put(22, RoleChange(email, role))
        case .heal(let devices):
            fields.put(30) { for device in devices { $0.put(1, device) } }
        case .scenario(let scenario): fields.put(31) { $0.put(1, scenario) }
        case .retire(let devices):
            fields.put(32) { for device in devices { $0.put(1, device) } }
        case .history(let back, let cursor): fields.put(33, HistoryPull(back: back, cursor: cursor))
        case .faults: fields.put(34) { _ in }
        case .addKey(let name, let digest, let scope): fields.put(40, KeyAddition(name, digest, scope))
        case .keys: fields.put(41) { _ in }
        case .revokeKey(let name): fields.put(42) { $0.put(1, name.text) }
        case .who: fields.put(43) { _ in }
        case .counters(let cursor): fields.put(44) { $0.put(1, cursor) }
        case .streamTicket: fields.put(45) { _ in }
        case .posts(let pull): fields.put(50, pull)
        case .post(let number): fields.put(51) { $0.put(1, number.value) }
        case .comments(let post, let after): fields.put(52, CommentPull(post, after: after))
        case .addPost(let draft): fields.put(53, draft)
        case .addComment(let draft): fields.put(54, draft)
        case .editPost(let edit): fields.put(56, edit)
        case .removePost(let number): fields.put(57) { $0.put(1, number.value) }
        case .authors(let after): fields.put(55) { $0.put(1, after.value) }
        case .wayIn(let request): request.write(to: &fields)
        case .sites(let request): request.write(to: &fields)
        case .sequences(let request): request.write(to: &fields)
        case .roster(let request): request.write(to: &fields)
        }
    }

    /// What somebody asks of the logbook.
    private static func logbook(_ body: Choice) throws(WireError) -> ClientRequest.Body {
        switch body.number {
        case 50: return .posts(try PostPull(wire: body.message))
        case 51: return .post(try PostNumber(wireQuery: body.message))
        case 52:
            let pull = try CommentPull(wire: body.message)
            return .comments(on: pull.post, after: pull.after)
        case 53: return .addPost(try PostDraft(wire: body.message))
        case 56: return .editPost(try PostEdit(wire: body.message))
        case 57: return .removePost(try PostNumber(wireQuery: body.message))
        case 54: return .addComment(try CommentDraft(wire: body.message))
        default: return .authors(after: AuthorNumber(UInt64(try body.message.firstNumber())))
        }
    }
}

/// What somebody logs in with, or signs up with.
struct Login: WireFields {
    let email: Email
    let password: Password
    let source: LoginSource?

    init(_ email: Email, _ password: Password, _ source: LoginSource?) {
        self.email = email
        self.password = password
        self.source = source
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (email, password, source) = ("", "", "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&email)
            case 2: try fields.read(&password)
            case 3: try fields.read(&source)
            default: break
            }
        }
        self.init(try Email(wire: email), try Password(wire: password), try LoginSource(wire: source))
    }

    var body: ClientRequest.Body { .login(email: email, password: password, source: source) }

    func write(to fields: inout FieldWriter) {
        fields.put(1, email.address)
        fields.put(2, password.text)
        if let source { fields.put(3, source.text) }
    }
}

extension LoginSource {
    /// The source of that name; nil where there is none.
    init?(wire text: String) throws(WireError) {
        guard !text.isEmpty else { return nil }
        guard let source = LoginSource(text) else {
            throw .malformed("login.source", "at most \(Limits.loginSourceBytes) bytes of printable ASCII")
        }
        self = source
    }
}

/// A user to be taken into the account, and the password to log in with.
private struct UserAddition: WireFields {
    let user: User
    let password: Password

    init(_ user: User, _ password: Password) {
        self.user = user
        self.password = password
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (user, password) = (FieldReader?.none, "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&user)
            case 2: try fields.read(&password)
            default: break
            }
        }
        self.init(try User(wire: user ?? FieldReader([])), try Password(wire: password))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, user)
        fields.put(2, password.text)
    }
}
