import SwiftProtobuf

extension ClientReply: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        let wire = try Sensibus_V1_ClientReply.decoded(from: bytes, limit: Limits.chunkBytes)
        do {
            self.init(correlation: wire.correlation, body: try Body(wire: wire))
        } catch {
            throw error.answering(wire.correlation)
        }
    }

    public var wireBytes: [UInt8] {
        Sensibus_V1_ClientReply.ours { wire in
            wire.correlation = correlation
            wire.body = body.wire
        }.bytes
    }
}

extension ClientReply.Body {
    fileprivate init(wire: Sensibus_V1_ClientReply) throws(WireError) {
        switch wire.body {
        case .refusal(let refusal): self = .refusal(try Refusal(wire: refusal))
        case .session(let session):
            guard let token = Token(Array(session.token)) else {
                throw .malformed("session.token", "\(Token.length) bytes")
            }
            self = .session(try Session(wire: session), token)
        case .signedOut(let signedOut): self = .signedOut(sessions: signedOut.sessions)
        case .outcome(let report): self = .outcome(try OutcomeReport(wire: report))
        case .cancel(let answer):
            guard answer.hasRequestID else { throw .missing("request_id") }
            self = .cancel(RequestID(wire: answer.requestID), try CancelAnswer(wire: answer))
        case .snapshot(let chunk): self = .snapshot(try SnapshotChunk(wire: chunk))
        case .status(let status): self = .status(try StatusReport(wire: status))
        case .injected(let injected): self = .injected(devices: injected.devices)
        case .userAdded(let user): self = .userAdded(try User(wire: user))
        case .users(let list): self = .users(try [User](wire: list))
        case .userRemoved(let removed): self = .userRemoved(sessions: removed.sessions)
        case .passwordChanged(let changed): self = .passwordChanged(sessions: changed.sessions)
        case nil: throw .missing("body: a reply of a kind that this version knows")
        }
    }

    fileprivate var wire: Sensibus_V1_ClientReply.OneOf_Body {
        switch self {
        case .refusal(let refusal): .refusal(refusal.wire)
        case .session(let session, let token): .session(session.wire(token))
        case .signedOut(let sessions): .signedOut(.with { $0.sessions = sessions })
        case .outcome(let report): .outcome(report.wire)
        case .cancel(let requestID, let answer): .cancel(answer.wire(requestID))
        case .snapshot(let chunk): .snapshot(chunk.wire)
        case .status(let status): .status(status.wire)
        case .injected(let devices): .injected(.with { $0.devices = devices })
        case .userAdded(let user): .userAdded(user.wire)
        case .users(let users): .users(users.wire)
        case .userRemoved(let sessions): .userRemoved(.with { $0.sessions = sessions })
        case .passwordChanged(let sessions): .passwordChanged(.with { $0.sessions = sessions })
        }
    }
}

extension CancelAnswer {
    fileprivate init(wire: Sensibus_V1_CancelAnswer) throws(WireError) {
        switch wire.kind {
        case .cancelled: self = .cancelled
        case .pending: self = .pending
        case .tooLate:
            guard wire.hasOutcome else { throw .missing("cancel.outcome") }
            self = .tooLate(try OutcomeReport(wire: wire.outcome))
        case .unspecified, .UNRECOGNIZED: throw .malformed("cancel.kind", "an answer")
        }
    }

    fileprivate func wire(_ requestID: RequestID) -> Sensibus_V1_CancelAnswer {
        .with {
            $0.requestID = requestID.wire
            switch self {
            case .cancelled: $0.kind = .cancelled
            case .pending: $0.kind = .pending
            case .tooLate(let report):
                $0.kind = .tooLate
                $0.outcome = report.wire
            }
        }
    }
}

extension StatusReport {
    fileprivate init(wire: Sensibus_V1_StatusReport) throws(WireError) {
        self.init(
            epoch: try Epoch(wire: wire.epoch, field: "epoch"), devices: wire.devices, online: wire.online,
            stale: wire.stale,
            offline: wire.offline, unknown: wire.unknown, togglesPerSecond: wire.togglesPerSecond,
            pending: wire.pending, loopLagUs: wire.loopLagUs)
    }

    fileprivate var wire: Sensibus_V1_StatusReport {
        .with {
            $0.epoch = epoch.value
            $0.devices = devices
            $0.online = online
            $0.stale = stale
            $0.offline = offline
            $0.unknown = unknown
            $0.togglesPerSecond = togglesPerSecond
            $0.pending = pending
            $0.loopLagUs = loopLagUs
        }
    }
}
