extension SupervisorRequest: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes)
        var (version, body) = (UInt32(0), Choice?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 10...12, 30: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: version)
        guard let body else { throw .missing("body: a request of a kind that this version knows") }
        switch body.number {
        case 10: self = .processes
        case 11: self = .restart(try body.message.firstTexts().0)
        case 12: self = .endFleet
        default: self = .scenario(try ScenarioOrder.checked(try body.message.firstTexts().0))
        }
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            switch self {
            case .processes: fields.put(10) { _ in }
            case .restart(let name): fields.put(11) { $0.put(1, name) }
            case .endFleet: fields.put(12) { _ in }
            case .scenario(let scenario): fields.put(30) { $0.put(1, scenario) }
            }
        }
    }
}

extension SupervisorReply: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes, limit: Limits.chunkBytes)
        var (version, failure, processes) = (UInt32(0), "", [FleetProcess]())
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&failure)
            case 3: try fields.read(&processes)
            default: break
            }
        }
        try WireError.check(version: version)
        self.init(failure: failure.isEmpty ? nil : failure, processes: processes)
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, failure ?? "")
            for process in processes { fields.put(3, process) }
        }
    }
}

extension FleetProcess: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (name, state, processID, restarts, lastEnd) = ("", UInt32(0), Int32(0), UInt32(0), "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&state)
            case 3: try fields.read(&processID)
            case 4: try fields.read(&restarts)
            case 5: try fields.read(&lastEnd)
            default: break
            }
        }
        self.init(
            name: name, state: try State(wire: state, field: "process.state", expected: "a state"),
            processID: processID == 0 ? nil : processID, restarts: restarts, lastEnd: lastEnd)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name)
        fields.put(2, state.wire)
        fields.put(3, processID ?? 0)
        fields.put(4, restarts)
        fields.put(5, lastEnd)
    }
}

extension FleetProcess.State: WireEnum {}
