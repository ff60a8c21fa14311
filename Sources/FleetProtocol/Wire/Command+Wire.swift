import Stepping

extension Command: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (requestID, device, remaining) = (FieldReader?.none, DeviceID?.none, Int64?.none)
        var (expected, kind) = (FieldReader?.none, Choice?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&device)
            case 3: try fields.read(&remaining)
            case 4: try fields.read(&expected)
            case 10, 11, 40, 41: try fields.read(&kind)
            default: break
            }
        }
        let id = try RequestID(wire: requestID)
        guard let kind else { throw .missing("kind") }
        let what = try Kind(wire: kind)
        guard let device else { throw .malformedDevice() }
        self.init(
            requestID: id, device: device, kind: what,
            expected: try expected.map(Expectation.init(wire:)),
            patience: remaining.map { Duration(wireMilliseconds: $0) })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, device)
        fields.put(3, optional: patience?.wholeMilliseconds)
        if let expected { fields.put(4, expected) }
        switch kind {
        case .toggle: fields.put(10) { _ in }
        case .set(let change): fields.put(11, change)
        case .correct(let change): fields.put(40, change)
        case .configure(let change): fields.put(41, change)
        }
    }
}

extension Command.Kind {
    fileprivate init(wire choice: Choice) throws(WireError) {
        guard choice.number != 10 else {
            self = .toggle
            return
        }
        guard choice.number != 41 else {
            self = .configure(try SettingChange(wire: choice.message))
            return
        }
        let change = try ACStateChange(wire: choice.message)
        guard !change.isEmpty else { throw .malformed("set", "at least one setting") }
        self = choice.number == 11 ? .set(change) : .correct(change)
    }
}

/// A request to take another one back.
struct Cancel: WireFields {
    let requestID: RequestID
    let patience: Duration?

    init(_ requestID: RequestID, _ patience: Duration?) {
        self.requestID = requestID
        self.patience = patience
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (requestID, remaining) = (FieldReader?.none, Int64?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&remaining)
            default: break
            }
        }
        self.init(
            try RequestID(wire: requestID), remaining.map { Duration(wireMilliseconds: $0) })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, optional: patience?.wholeMilliseconds)
    }
}
