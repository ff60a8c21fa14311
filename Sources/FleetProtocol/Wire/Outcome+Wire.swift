extension Outcome: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (kind, version, incarnation) = (UInt32(0), UInt64(0), UInt64(0))
        var (state, rejection, reason) = (FieldReader?.none, "", UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&state)
            case 3: try fields.read(&version)
            case 4: try fields.read(fixed: &incarnation)
            case 5: try fields.read(&rejection)
            case 6: try fields.read(&reason)
            default: break
            }
        }
        /// The state that the device was left at.
        func left() throws(WireError) -> DeviceState {
            guard let state else { throw .missing("outcome.state") }
            return DeviceState(
                state: try ACState(wire: state), version: try Version(wire: version, field: "version"),
                incarnation: Incarnation(bits: incarnation))
        }
        switch kind {
        case 1: self = .applied(try left())
        case 2: self = .unchanged(try left())
        case 3: self = .conflict(try left())
        case 4: self = .rejected(try rejection.checked(bytes: Limits.explanationBytes, field: "rejection"))
        case 5: self = .cancelled
        case 6: self = .expired
        case 7:
            self = .undetermined(
                try UndeterminedReason(wire: reason, field: "outcome.undetermined", expected: "a reason"))
        case 8: self = .unknown
        default: throw .malformed("outcome.kind", "an outcome")
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, wireKind)
        if let left = state {
            fields.put(2, left.state)
            fields.put(3, left.version.value)
            fields.put(4, fixed: left.incarnation.bits)
        }
        if case .rejected(let why) = self { fields.put(5, why.cut(toBytes: Limits.explanationBytes)) }
        if case .undetermined(let reason) = self { fields.put(6, reason.wire) }
    }

    private var wireKind: UInt32 {
        switch self {
        case .applied: 1
        case .unchanged: 2
        case .conflict: 3
        case .rejected: 4
        case .cancelled: 5
        case .expired: 6
        case .undetermined: 7
        case .unknown: 8
        }
    }
}

extension UndeterminedReason: WireEnum {}

extension CommandKind: WireEnum {}

extension OutcomeReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (requestID, device, outcome) = (FieldReader?.none, "", FieldReader?.none)
        var (actor, versionBefore, attempts, command) = ("", UInt64(0), UInt32(0), UInt32(0))
        var timing = Timing()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&device)
            case 3: try fields.read(&outcome)
            case 4: try fields.read(&actor)
            case 5: try fields.read(&versionBefore)
            case 6: try fields.read(&attempts)
            case 7: try fields.read(&timing.totalUs)
            case 8: try fields.read(&timing.queueUs)
            case 9: try fields.read(&timing.wireUs)
            case 10: try fields.read(&timing.deviceUs)
            case 11: try fields.read(&timing.journalUs)
            case 12: try fields.read(&command)
            default: break
            }
        }
        let id = try RequestID(wire: requestID)
        guard let outcome else { throw .missing("outcome") }
        let about = DeviceID(device)
        guard about != nil || device.isEmpty else { throw .malformedDevice() }
        self.init(
            requestID: id, device: about, outcome: try Outcome(wire: outcome),
            actor: try Email(wire: actor, field: "actor"),
            versionBefore: try Version(wire: versionBefore, field: "version_before"), attempts: attempts,
            command: try command == 0
                ? nil : CommandKind(wire: command, field: "command", expected: "a kind of command"),
            timing: timing)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        if let device { fields.put(2, device) }
        fields.put(3, outcome)
        fields.put(4, actor.address)
        fields.put(5, versionBefore.value)
        fields.put(6, attempts)
        fields.put(7, timing.totalUs)
        fields.put(8, timing.queueUs)
        fields.put(9, timing.wireUs)
        fields.put(10, timing.deviceUs)
        fields.put(11, timing.journalUs)
        fields.put(12, command?.wire ?? 0)
    }
}
