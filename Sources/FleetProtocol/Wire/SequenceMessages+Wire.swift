extension SequenceRequest {
    /// What somebody asks about sequences.
    init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 90:
            let start = try SequenceStart(wire: body.message)
            self = .start(start.id, start.plan)
        case 91: self = .report(try RequestID(wire: body.message.firstMessage(), field: "sequence.id"))
        case 92:
            let pull = try SequencePull(wire: body.message)
            self = .list(before: pull.before, limit: pull.limit)
        default:
            let order = try SteeringOrder(wire: body.message)
            self = .steer(order.id, order.steering)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .start(let id, let plan): fields.put(90, SequenceStart(id: id, plan: plan))
        case .report(let id): fields.put(91) { $0.put(1, id) }
        case .list(let before, let limit): fields.put(92, SequencePull(before: before, limit: limit))
        case .steer(let id, let steering): fields.put(93, SteeringOrder(id: id, steering: steering))
        }
    }
}

extension SequenceReply {
    /// What there is to say about sequences.
    init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 90: self = .report(try SequenceReport(wire: body.message))
        default: self = .list(try SequenceList(wire: body.message))
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .report(let report): fields.put(90, report)
        case .list(let list): fields.put(91, list)
        }
    }
}

/// A sequence that is to be started.
private struct SequenceStart: WireFields {
    let id: RequestID
    let plan: SequencePlan

    init(id: RequestID, plan: SequencePlan) {
        self.id = id
        self.plan = plan
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (id, plan) = (FieldReader?.none, FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&plan)
            default: break
            }
        }
        self.init(
            id: try RequestID(wire: id, field: "sequence.id"), plan: try SequencePlan(wireIn: plan))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, plan)
    }
}

/// Which sequences somebody wants.
private struct SequencePull: WireFields {
    let before: RequestID?
    let limit: UInt32

    init(before: RequestID?, limit: UInt32) {
        self.before = before
        self.limit = limit
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (before, limit) = (FieldReader?.none, UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&before)
            case 2: try fields.read(&limit)
            default: break
            }
        }
        guard (1...UInt32(Limits.chunkSequences)).contains(limit) else {
            throw .malformed("sequences.limit", "1 to \(Limits.chunkSequences)")
        }
        let id: RequestID? = if let before { try RequestID(wire: before) } else { nil }
        self.init(before: id, limit: limit)
    }

    func write(to fields: inout FieldWriter) {
        if let before { fields.put(1, before) }
        fields.put(2, limit)
    }
}

/// What is to become of a sequence.
private struct SteeringOrder: WireFields {
    let id: RequestID
    let steering: SequenceSteering

    init(id: RequestID, steering: SequenceSteering) {
        self.id = id
        self.steering = steering
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (id, steering) = (FieldReader?.none, UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&steering)
            default: break
            }
        }
        self.init(
            id: try RequestID(wire: id, field: "sequence.id"),
            steering: try SequenceSteering(
                wire: steering, field: "steering", expected: "pause, resume, stop or cancel"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, steering.wire)
    }
}
