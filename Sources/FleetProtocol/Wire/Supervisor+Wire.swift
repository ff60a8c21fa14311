import Stepping

extension SupervisorRequest: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes)
        var (version, body) = (UInt32(0), Choice?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 10...12, 30...36: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: version)
        guard let body else { throw .missing("body: a request of a kind that this version knows") }
        switch body.number {
        case 10: self = .processes
        case 11: self = .restart(try body.message.firstTexts().0)
        case 12: self = .endFleet
        case 30:
            let plan = try ScenarioPlan(wire: body.message)
            self = .scenario(plan.scenario, plan.day)
        case 31: self = .scale(devices: try body.message.firstNumber())
        case 32: self = .trim
        case 33:
            let order = try CloudOrder(wire: body.message)
            self = .injectCloud(order.fault, for: order.duration)
        case 34: self = .healCloud
        case 35: self = .cloud
        default: self = .cloudReport(try CloudReport(wire: body.message))
        }
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            switch self {
            case .processes: fields.put(10) { _ in }
            case .restart(let name): fields.put(11) { $0.put(1, name) }
            case .endFleet: fields.put(12) { _ in }
            case .scenario(let scenario, let day):
                fields.put(30, ScenarioPlan(scenario: scenario, day: day))
            case .scale(let devices): fields.put(31) { $0.put(1, devices) }
            case .trim: fields.put(32) { _ in }
            case .injectCloud(let fault, let duration):
                fields.put(33, CloudOrder(fault: fault, duration: duration))
            case .healCloud: fields.put(34) { _ in }
            case .cloud: fields.put(35) { _ in }
            case .cloudReport(let report): fields.put(36, report)
            }
        }
    }
}

extension SupervisorReply: WireMessage {
    public init(wireBytes bytes: [UInt8]) throws(WireError) {
        var fields = try FieldReader(message: bytes, limit: Limits.chunkBytes)
        var (version, failure, processes) = (UInt32(0), "", [FleetProcess]())
        var (size, cloud, endedFaults) = (FieldReader?.none, FieldReader?.none, UInt32(0))
        var fleet = FieldReader?.none
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&failure)
            case 3: try fields.read(&processes)
            case 4: try fields.read(&size)
            case 5: try fields.read(&cloud)
            case 6: try fields.read(&endedFaults)
            case 7: try fields.read(&fleet)
            default: break
            }
        }
        try WireError.check(version: version)
        self.init(
            failure: failure.isEmpty ? nil : failure, processes: processes,
            size: try size.map { size throws(WireError) in try FleetSize(wire: size) },
            cloud: try cloud.map { cloud throws(WireError) in try CloudPlan(wire: cloud) },
            endedFaults: endedFaults,
            fleet: try fleet.map { fleet throws(WireError) in try FleetSummary(wire: fleet) })
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            fields.put(2, failure ?? "")
            for process in processes { fields.put(3, process) }
            if let size { fields.put(4, size) }
            if let cloud { fields.put(5, cloud) }
            fields.put(6, endedFaults)
            if let fleet { fields.put(7, fleet) }
        }
    }
}

extension FleetSize: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        self.init()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&seed)
            case 2: try fields.read(&devices)
            case 3: try fields.read(&hosted)
            case 4: try fields.read(&nodes)
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, seed)
        fields.put(2, devices)
        fields.put(3, hosted)
        fields.put(4, nodes)
    }
}

extension FleetSummary: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var uptimeMs = UInt64(0)
        self.init()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&scenario)
            case 2: try fields.read(&uptimeMs)
            default: break
            }
        }
        uptime = .milliseconds(Int64(clamping: uptimeMs))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, scenario)
        fields.put(2, UInt64(clamping: uptime.wholeMilliseconds))
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
