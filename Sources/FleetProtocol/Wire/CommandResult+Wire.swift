extension CommandResult: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (sequence, requestID, verdict, rejection) = (UInt64(0), FieldReader?.none, UInt32(0), "")
        var (state, version, deviceUs, row) = (FieldReader?.none, UInt64(0), UInt64(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&sequence)
            case 2: try fields.read(&requestID)
            case 3: try fields.read(&verdict)
            case 4: try fields.read(&rejection)
            case 5: try fields.read(&state)
            case 6: try fields.read(&version)
            case 7: try fields.read(&deviceUs)
            case 8: try fields.read(&row)
            default: break
            }
        }
        let id = try RequestID(wire: requestID, field: "result.request_id")
        guard let state else { throw .missing("result.state") }
        guard let row else { throw .missing("result.row") }
        let now = try DeviceRow(wire: row)
        self.init(
            sequence: try CommandSequence(wire: sequence, field: "seq"), requestID: id,
            verdict: try Verdict(wire: verdict, rejection: rejection),
            judged: DeviceState(
                state: try ACState(wire: state), version: try Version(wire: version, field: "version"),
                incarnation: now.reported.incarnation),
            deviceUs: deviceUs, row: now)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, sequence.value)
        fields.put(2, requestID)
        fields.put(3, verdict.kind.wire)
        if case .rejected(let why) = verdict { fields.put(4, why.cut(toBytes: Limits.explanationBytes)) }
        fields.put(5, judged.state)
        fields.put(6, judged.version.value)
        fields.put(7, deviceUs)
        fields.put(8, row)
    }
}

extension Verdict {
    fileprivate init(wire number: UInt32, rejection: String) throws(WireError) {
        switch try Kind(wire: number, field: "result.verdict", expected: "a verdict") {
        case .applied: self = .applied
        case .unchanged: self = .unchanged
        case .conflict: self = .conflict
        case .rejected:
            self = .rejected(try rejection.checked(bytes: Limits.explanationBytes, field: "rejection"))
        case .expired: self = .expired
        case .aborted: self = .aborted
        case .staleIncarnation: self = .staleIncarnation
        case .staleEpoch: self = .staleEpoch
        case .staleSequence: self = .staleSequence
        case .sequenceTaken: self = .sequenceTaken
        }
    }
}
