extension ClientReply: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes, limit: Limits.chunkBytes)
        var (version, correlation, body) = (UInt32(0), UInt64(0), Choice?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&correlation)
            case 10...22, 30...32, 40...45, 50...55, 60...65, 70...72, 80...83, 90...91:
                try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: version)
        do throws(WireError) {
            guard let body else { throw .missing("body: a reply of a kind that this version knows") }
            self.init(correlation: correlation, body: try Body(wire: body))
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
    fileprivate init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 10: self = .refusal(try Refusal(wire: body.message))
        case 11:
            let opened = try StatedSession(wire: body.message)
            guard let token = opened.token else { throw .malformed("session.token", "\(Token.length) bytes") }
            self = .session(opened.session, token)
        case 12: self = .signedOut(sessions: try body.message.firstNumber())
        case 13: self = .outcome(try OutcomeReport(wire: body.message))
        case 14:
            let answer = try AnsweredCancel(wire: body.message)
            self = .cancel(answer.requestID, answer.answer)
        case 15: self = .snapshot(try SnapshotChunk(wire: body.message))
        case 16: self = .status(try StatusReport(wire: body.message))
        case 17: self = .injected(devices: try body.message.firstNumber())
        case 18: self = .userAdded(try User(wire: body.message))
        case 19: self = .users(try UserList(wire: body.message).users)
        case 20: self = .userRemoved(sessions: try body.message.firstNumber())
        case 22: self = .userChanged(try User(wire: body.message))
        case 30: self = .carriedOut(try OrderReport(wire: body.message))
        case 31: self = .history(try HistoryChunk(wire: body.message))
        case 32: self = .faults(try FaultList(wire: body.message))
        case 40: self = .keyAdded(try APIKey(wire: body.message))
        case 41: self = .keys(try KeyList(wire: body.message).keys)
        case 42: self = .keyRevoked(try APIKey(wire: body.message))
        case 43: self = .who(try StatedSession(wire: body.message).session)
        case 44: self = .counters(try CounterReport(wire: body.message))
        case 45: self = .streamTicket(try StreamTicket(wire: body.message))
        case 50: self = .posts(try PostChunk(wire: body.message))
        case 51: self = .post(try Post(wire: body.message))
        case 52: self = .comments(try CommentChunk(wire: body.message))
        case 53: self = .comment(try Comment(wire: body.message))
        case 54: self = .authors(try AuthorChunk(wire: body.message))
        case 55: self = .postRemoved(try PostNumber(wireQuery: body.message))
        case 60...65: self = .sites(try SiteReply(wire: body))
        case 70...72: self = .wayIn(try WayInReply(wire: body))
        case 80...83: self = .roster(try RosterReply(wire: body))
        case 90...91: self = .sequences(try SequenceReply(wire: body))
        default:
            let (sessions, keys) = try body.message.firstNumbers()
            self = .passwordChanged(sessions: sessions, keys: keys)
        }
    }

    fileprivate func write(to fields: inout FieldWriter) {
        switch self {
        case .refusal(let refusal): fields.put(10, refusal)
        case .session(let session, let token): fields.put(11, StatedSession(session, token))
        case .signedOut(let sessions): fields.put(12) { $0.put(1, sessions) }
        case .outcome(let report): fields.put(13, report)
        case .cancel(let requestID, let answer): fields.put(14, AnsweredCancel(requestID, answer))
        case .snapshot(let chunk): fields.put(15, chunk)
        case .status(let status): fields.put(16, status)
        case .injected(let devices): fields.put(17) { $0.put(1, devices) }
        case .userAdded(let user): fields.put(18, user)
        case .users(let users): fields.put(19, UserList(users: users))
        case .userRemoved(let sessions): fields.put(20) { $0.put(1, sessions) }
        case .passwordChanged(let sessions, let keys):
            fields.put(21) {
                $0.put(1, sessions)
                $0.put(2, keys)
            }
        case .userChanged(let user): fields.put(22, user)
        case .carriedOut(let report): fields.put(30, report)
        case .history(let chunk): fields.put(31, chunk)
        case .faults(let list): fields.put(32, list)
        case .keyAdded(let key): fields.put(40, key)
        case .keys(let keys): fields.put(41, KeyList(keys: keys))
        case .keyRevoked(let key): fields.put(42, key)
        case .who(let session): fields.put(43, StatedSession(session))
        case .counters(let report): fields.put(44, report)
        case .streamTicket(let ticket): fields.put(45, ticket)
        case .posts(let chunk): fields.put(50, chunk)
        case .post(let post): fields.put(51, post)
        case .comments(let chunk): fields.put(52, chunk)
        case .comment(let comment): fields.put(53, comment)
        case .authors(let chunk): fields.put(54, chunk)
        case .wayIn(let reply): reply.write(to: &fields)
        case .postRemoved(let number): fields.put(55) { $0.put(1, number.value) }
        case .sites(let reply): reply.write(to: &fields)
        case .sequences(let reply): reply.write(to: &fields)
        case .roster(let reply): reply.write(to: &fields)
        }
    }
}

/// What became of the cancel of a request.
private struct AnsweredCancel: WireFields {
    let requestID: RequestID
    let answer: CancelAnswer

    init(_ requestID: RequestID, _ answer: CancelAnswer) {
        self.requestID = requestID
        self.answer = answer
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (requestID, kind, outcome) = (FieldReader?.none, UInt32(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&kind)
            case 3: try fields.read(&outcome)
            default: break
            }
        }
        self.requestID = try RequestID(wire: requestID)
        switch kind {
        case 1: answer = .cancelled
        case 2:
            guard let outcome else { throw .missing("cancel.outcome") }
            answer = .tooLate(try OutcomeReport(wire: outcome))
        case 3: answer = .pending
        default: throw .malformed("cancel.kind", "an answer")
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        switch answer {
        case .cancelled: fields.put(2, UInt32(1))
        case .tooLate(let report):
            fields.put(2, UInt32(2))
            fields.put(3, report)
        case .pending: fields.put(2, UInt32(3))
        }
    }
}

/// The users of an account.
private struct UserList: WireFields {
    let users: [User]

    init(users: [User]) {
        self.users = users
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var users: [User] = []
        while let field = try fields.next() {
            if field == 1 { try fields.read(&users) }
        }
        guard users.count <= Limits.accountUsers else {
            throw .malformed("users", "at most \(Limits.accountUsers)")
        }
        self.init(users: users)
    }

    func write(to fields: inout FieldWriter) {
        for user in users { fields.put(1, user) }
    }
}

extension StatusReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var epoch: UInt64 = 0
        self.init(epoch: .zero)
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
            default: break
            }
        }
        self.epoch = try Epoch(wire: epoch, field: "epoch")
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, epoch.value)
        fields.put(2, devices)
        fields.put(3, online)
        fields.put(4, stale)
        fields.put(5, offline)
        fields.put(6, unknown)
        fields.put(7, togglesPerSecond)
        fields.put(8, pending)
        fields.put(9, loopLagUs)
        fields.put(10, disconnected)
    }
}
