import FoundationEssentials
import Stepping
import SwiftProtobuf

extension ClientRequest: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        let wire = try Sensibus_V1_ClientRequest.decoded(from: bytes)
        do {
            self.init(
                correlation: wire.correlation, token: try Token(wire: wire.token), body: try Body(wire: wire))
        } catch {
            throw error.answering(wire.correlation)
        }
    }

    public var wireBytes: [UInt8] {
        Sensibus_V1_ClientRequest.ours { wire in
            wire.correlation = correlation
            wire.token = .init(token?.bytes ?? [])
            wire.body = body.wire
        }.bytes
    }
}

extension Token {
    fileprivate init?(wire: some Collection<UInt8>) throws(WireError) {
        guard !wire.isEmpty else { return nil }
        guard let token = Token(Array(wire)) else { throw .malformed("token", "\(Token.length) bytes") }
        self = token
    }
}

extension ClientRequest.Body {
    fileprivate init(wire: Sensibus_V1_ClientRequest) throws(WireError) {
        switch wire.body {
        case .login(let login):
            self = .login(
                email: try Email(wire: login.email), password: try Password(wire: login.password))
        case .logout(let logout): self = .logout(everywhere: logout.everywhere)
        case .command(let command): self = .command(try Command(wire: command))
        case .cancel(let cancel):
            guard cancel.hasRequestID else { throw .missing("request_id") }
            self = .cancel(
                RequestID(wire: cancel.requestID),
                patience: cancel.hasRemainingMs ? Duration(wireMilliseconds: cancel.remainingMs) : nil)
        case .outcome(let query):
            guard query.hasRequestID else { throw .missing("request_id") }
            self = .outcome(RequestID(wire: query.requestID))
        case .snapshot(let pull): self = .snapshot(cursor: pull.cursor)
        case .status: self = .status
        case .inject(let inject):
            self = .inject(
                try Fault(wire: inject.fault), devices: try Fault.devices(wire: inject.devices),
                duration: try Fault.duration(wireMilliseconds: inject.durationMs))
        case .addUser(let addition):
            self = .addUser(
                try User(wire: addition.user), password: try Password(wire: addition.password))
        case .users: self = .users
        case .removeUser(let removal): self = .removeUser(try Email(wire: removal.email))
        case .changePassword(let change):
            self = .changePassword(
                try Email(wire: change.email), to: try Password(wire: change.password))
        case nil: throw .missing("body: a request of a kind that this version knows")
        }
    }

    fileprivate var wire: Sensibus_V1_ClientRequest.OneOf_Body {
        switch self {
        case .login(let email, let password):
            .login(
                .with {
                    $0.email = email.address
                    $0.password = password.text
                })
        case .logout(let everywhere): .logout(.with { $0.everywhere = everywhere })
        case .command(let command): .command(command.wire)
        case .cancel(let requestID, let patience):
            .cancel(
                .with {
                    $0.requestID = requestID.wire
                    if let patience { $0.remainingMs = patience.wholeMilliseconds }
                })
        case .outcome(let requestID): .outcome(.with { $0.requestID = requestID.wire })
        case .snapshot(let cursor): .snapshot(.with { $0.cursor = cursor })
        case .status: .status(.init())
        case .inject(let fault, let devices, let duration):
            .inject(
                .with {
                    $0.fault = fault.wire
                    $0.devices = devices.map(\.description)
                    $0.durationMs = UInt32(clamping: duration.wholeMilliseconds)
                })
        case .addUser(let user, let password):
            .addUser(
                .with {
                    $0.user = user.wire
                    $0.password = password.text
                })
        case .users: .users(.init())
        case .removeUser(let email): .removeUser(.with { $0.email = email.address })
        case .changePassword(let email, let password):
            .changePassword(
                .with {
                    $0.email = email.address
                    $0.password = password.text
                })
        }
    }
}

extension Command {
    fileprivate init(wire: Sensibus_V1_Command) throws(WireError) {
        guard wire.hasRequestID else { throw .missing("request_id") }
        let kind: Kind
        switch wire.kind {
        case .toggle: kind = .toggle
        case .set(let change):
            let change = try ACStateChange(wire: change)
            guard !change.isEmpty else { throw .malformed("set", "at least one setting") }
            kind = .set(change)
        case nil: throw .missing("kind")
        }
        self.init(
            requestID: RequestID(wire: wire.requestID), device: try DeviceID(wire: wire.device), kind: kind,
            expected: wire.hasExpected ? try Expectation(wire: wire.expected) : nil,
            patience: wire.hasRemainingMs ? Duration(wireMilliseconds: wire.remainingMs) : nil)
    }

    fileprivate var wire: Sensibus_V1_Command {
        .with {
            $0.requestID = requestID.wire
            $0.device = device.description
            if let patience { $0.remainingMs = patience.wholeMilliseconds }
            if let expected { $0.expected = expected.wire }
            switch kind {
            case .toggle: $0.toggle = .init()
            case .set(let change): $0.set = change.wire
            }
        }
    }
}
