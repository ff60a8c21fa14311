import SwiftProtobuf

extension SupervisorRequest: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        switch try Sensibus_V1_SupervisorRequest.decoded(from: bytes).body {
        case .list: self = .processes
        case .restart(let restart): self = .restart(restart.name)
        case .end: self = .endFleet
        case nil: throw .missing("body: a request of a kind that this version knows")
        }
    }

    public var wireBytes: [UInt8] {
        Sensibus_V1_SupervisorRequest.ours { wire in
            switch self {
            case .processes: wire.list = .init()
            case .restart(let name): wire.restart.name = name
            case .endFleet: wire.end = .init()
            }
        }.bytes
    }
}

extension SupervisorReply: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        let wire = try Sensibus_V1_SupervisorReply.decoded(from: bytes, limit: Limits.chunkBytes)
        var processes: [FleetProcess] = []
        for row in wire.processes { processes.append(try FleetProcess(wire: row)) }
        self.init(failure: wire.error.isEmpty ? nil : wire.error, processes: processes)
    }

    public var wireBytes: [UInt8] {
        Sensibus_V1_SupervisorReply.ours { wire in
            wire.error = failure ?? ""
            wire.processes = processes.map(\.wire)
        }.bytes
    }
}

extension FleetProcess {
    fileprivate init(wire: Sensibus_V1_ProcessRow) throws(WireError) {
        let state: State
        switch wire.state {
        case .running: state = .running
        case .restarting: state = .restarting
        case .dead: state = .dead
        case .stopped: state = .stopped
        case .unspecified, .UNRECOGNIZED: throw .malformed("process.state", "a state")
        }
        self.init(
            name: wire.name, state: state, processID: wire.pid == 0 ? nil : wire.pid, restarts: wire.restarts,
            lastEnd: wire.lastEnd)
    }

    fileprivate var wire: Sensibus_V1_ProcessRow {
        .with {
            $0.name = name
            $0.pid = processID ?? 0
            $0.restarts = restarts
            $0.lastEnd = lastEnd
            switch state {
            case .running: $0.state = .running
            case .restarting: $0.state = .restarting
            case .dead: $0.state = .dead
            case .stopped: $0.state = .stopped
            }
        }
    }
}
