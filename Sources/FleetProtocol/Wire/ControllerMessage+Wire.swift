import Stepping
import SwiftProtobuf

extension ControllerMessage: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        let wire = try Sensibus_V1_ControllerMessage.decoded(from: bytes)
        self.init(epoch: try Epoch(wire: wire.epoch, field: "epoch"), body: try Body(wire: wire))
    }

    public var wireBytes: [UInt8] {
        Sensibus_V1_ControllerMessage.ours { wire in
            wire.epoch = epoch.value
            wire.body = body.wire
        }.bytes
    }
}

extension ControllerMessage.Body {
    fileprivate init(wire: Sensibus_V1_ControllerMessage) throws(WireError) {
        switch wire.body {
        case .pong(let pong): self = .pong(helloWanted: pong.helloWanted)
        case .pull(let pull):
            self = .pull(since: try ChangeNumber(wire: pull.since, field: "pull.since"), cursor: pull.cursor)
        case .command(let command): self = .command(try DeviceCommand(wire: command))
        case .abort(let abort):
            guard abort.hasRequestID else { throw .missing("abort.request_id") }
            self = .abort(
                CommandIdentity(
                    device: try DeviceID(wire: abort.device),
                    incarnation: Incarnation(bits: abort.incarnation),
                    sequence: try CommandSequence(wire: abort.seq, field: "abort.seq"),
                    requestID: RequestID(wire: abort.requestID)))
        case .fault(let fault):
            self = .fault(
                try Fault(wire: fault.fault), devices: try Fault.devices(wire: fault.devices),
                duration: try Fault.duration(wireMilliseconds: fault.durationMs))
        case .taken(let taken): self = .taken(try Fault.devices(wire: taken.devices))
        case nil: throw .missing("body: a message of a kind that this version knows")
        }
    }

    fileprivate var wire: Sensibus_V1_ControllerMessage.OneOf_Body {
        switch self {
        case .pong(let helloWanted): .pong(.with { $0.helloWanted = helloWanted })
        case .pull(let since, let cursor):
            .pull(
                .with {
                    $0.since = since.value
                    $0.cursor = cursor
                })
        case .command(let command): .command(command.wire)
        case .abort(let identity):
            .abort(
                .with {
                    $0.device = identity.device.description
                    $0.incarnation = identity.incarnation.bits
                    $0.seq = identity.sequence.value
                    $0.requestID = identity.requestID.wire
                })
        case .fault(let fault, let devices, let duration):
            .fault(
                .with {
                    $0.fault = fault.wire
                    $0.devices = devices.map(\.description)
                    $0.durationMs = UInt32(clamping: duration.wholeMilliseconds)
                })
        case .taken(let devices): .taken(.with { $0.devices = devices.map(\.description) })
        }
    }
}

extension DeviceCommand {
    fileprivate init(wire: Sensibus_V1_DeviceCommand) throws(WireError) {
        guard wire.hasRequestID else { throw .missing("command.request_id") }
        guard wire.hasChange else { throw .missing("command.change") }
        self.init(
            identity: CommandIdentity(
                device: try DeviceID(wire: wire.device), incarnation: Incarnation(bits: wire.incarnation),
                sequence: try CommandSequence(wire: wire.seq, field: "command.seq"),
                requestID: RequestID(wire: wire.requestID)),
            change: try ACStateChange(wire: wire.change),
            base: wire.hasBaseVersion ? try Version(wire: wire.baseVersion, field: "base_version") : nil,
            timeToLive: .milliseconds(Int64(wire.ttlMs)))
    }

    fileprivate var wire: Sensibus_V1_DeviceCommand {
        .with {
            $0.device = identity.device.description
            $0.incarnation = identity.incarnation.bits
            $0.seq = identity.sequence.value
            $0.requestID = identity.requestID.wire
            $0.change = change.wire
            if let base { $0.baseVersion = base.value }
            $0.ttlMs = UInt32(clamping: timeToLive.wholeMilliseconds)
        }
    }
}
