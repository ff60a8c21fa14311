import SwiftProtobuf

extension NodeMessage: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        let wire = try Sensibus_V1_NodeMessage.decoded(from: bytes, limit: Limits.chunkBytes)
        self.init(
            bootID: BootID(bits: wire.bootID),
            lastNumber: try ChangeNumber(wire: wire.lastNumber, field: "last_number"),
            body: try Body(wire: wire))
    }

    public var wireBytes: [UInt8] {
        Sensibus_V1_NodeMessage.ours { wire in
            wire.bootID = bootID.bits
            wire.lastNumber = lastNumber.value
            wire.body = body.wire
        }.bytes
    }
}

extension NodeMessage.Body {
    fileprivate init(wire: Sensibus_V1_NodeMessage) throws(WireError) {
        switch wire.body {
        case .hello(let hello):
            guard hello.devices <= Limits.nodeDevices else {
                throw .malformed("hello.devices", "at most \(Limits.nodeDevices)")
            }
            self = .hello(
                try NodeName(wire: hello.node), account: try AccountID(wire: hello.account),
                devices: hello.devices)
        case .ping: self = .ping
        case .result(let result): self = .result(try CommandResult(wire: result))
        case .rows(let chunk): self = .rows(try RowChunk(wire: chunk))
        case .leaving: self = .leaving
        case nil: throw .missing("body: a message of a kind that this version knows")
        }
    }

    fileprivate var wire: Sensibus_V1_NodeMessage.OneOf_Body {
        switch self {
        case .hello(let node, let account, let devices):
            .hello(
                .with {
                    $0.node = node.text
                    $0.account = account.name
                    $0.devices = devices
                })
        case .ping: .ping(.init())
        case .result(let result): .result(result.wire)
        case .rows(let chunk): .rows(chunk.wire)
        case .leaving: .leaving(.init())
        }
    }
}

extension CommandResult {
    fileprivate init(wire: Sensibus_V1_CommandResult) throws(WireError) {
        guard wire.hasRequestID else { throw .missing("result.request_id") }
        guard wire.hasState else { throw .missing("result.state") }
        guard wire.hasRow else { throw .missing("result.row") }
        let row = try DeviceRow(wire: wire.row)
        self.init(
            sequence: try CommandSequence(wire: wire.seq, field: "result.seq"),
            requestID: RequestID(wire: wire.requestID),
            verdict: try Verdict(wire: wire),
            judged: DeviceState(
                state: try ACState(wire: wire.state),
                version: try Version(wire: wire.version, field: "result.version"),
                incarnation: row.reported.incarnation),
            deviceUs: wire.deviceUs, row: row)
    }

    fileprivate var wire: Sensibus_V1_CommandResult {
        .with {
            $0.seq = sequence.value
            $0.requestID = requestID.wire
            $0.verdict = verdict.wire
            if case .rejected(let why) = verdict { $0.rejection = why.cut(toBytes: Limits.explanationBytes) }
            $0.state = judged.state.wire
            $0.version = judged.version.value
            $0.deviceUs = deviceUs
            $0.row = row.wire
        }
    }
}

extension Verdict {
    fileprivate init(wire: Sensibus_V1_CommandResult) throws(WireError) {
        switch wire.verdict {
        case .applied: self = .applied
        case .unchanged: self = .unchanged
        case .conflict: self = .conflict
        case .rejected:
            self = .rejected(try wire.rejection.checked(bytes: Limits.explanationBytes, field: "rejection"))
        case .expired: self = .expired
        case .aborted: self = .aborted
        case .staleIncarnation: self = .staleIncarnation
        case .staleEpoch: self = .staleEpoch
        case .staleSeq: self = .staleSequence
        case .seqTaken: self = .sequenceTaken
        case .unspecified, .UNRECOGNIZED: throw .malformed("result.verdict", "a verdict")
        }
    }

    fileprivate var wire: Sensibus_V1_Verdict {
        switch self {
        case .applied: .applied
        case .unchanged: .unchanged
        case .conflict: .conflict
        case .rejected: .rejected
        case .expired: .expired
        case .aborted: .aborted
        case .staleIncarnation: .staleIncarnation
        case .staleEpoch: .staleEpoch
        case .staleSequence: .staleSeq
        case .sequenceTaken: .seqTaken
        }
    }
}

extension Telemetry: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        let wire = try Sensibus_V1_Telemetry.decoded(from: bytes, limit: Limits.chunkBytes)
        self.init(bootID: BootID(bits: wire.bootID), rows: try DeviceRow.rows(wire: wire.rows))
    }

    public var wireBytes: [UInt8] {
        Sensibus_V1_Telemetry.ours { wire in
            wire.bootID = bootID.bits
            wire.rows = rows.map(\.wire)
        }.bytes
    }
}
