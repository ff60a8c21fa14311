extension SettingChange: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var change: Choice?
        while let field = try fields.next() {
            if case 1...6 = field { try fields.read(&change) }
        }
        guard let change else { throw .missing("setting") }
        switch change.number {
        case 1: self = .climateReact(try ClimateReact(wire: change.message))
        case 2: self = .climateReactEnabled(try change.message.firstTruth())
        case 3: self = try Self.timer(wire: change.message)
        case 4: self = .noTimer
        case 5: self = .filterCleaned
        default:
            let seconds = try change.message.firstNumber()
            guard Self.filterSeconds.contains(seconds) else {
                throw .malformed("filter_threshold.seconds", Self.words(Self.filterSeconds))
            }
            self = .filterThreshold(seconds: seconds)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .climateReact(let wanted): fields.put(1, wanted)
        case .climateReactEnabled(let isEnabled): fields.put(2) { $0.put(1, isEnabled) }
        case .timer(let change, let seconds):
            fields.put(3) {
                $0.put(1, seconds)
                $0.put(2, change)
            }
        case .noTimer: fields.put(4) { _ in }
        case .filterCleaned: fields.put(5) { _ in }
        case .filterThreshold(let seconds): fields.put(6) { $0.put(1, seconds) }
        }
    }

    private static func timer(wire message: FieldReader) throws(WireError) -> SettingChange {
        var fields = message
        var (seconds, change) = (UInt32(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&seconds)
            case 2: try fields.read(&change)
            default: break
            }
        }
        guard let change else { throw .missing("timer.change") }
        let wanted = try ACStateChange(wire: change)
        guard !wanted.isEmpty else { throw .malformed("timer.change", "at least one setting") }
        guard timerSeconds.contains(seconds) else {
            throw .malformed("timer.after_seconds", words(timerSeconds))
        }
        return .timer(wanted, afterSeconds: seconds)
    }

    private static func words(_ bounds: ClosedRange<UInt32>) -> String {
        "\(bounds.lowerBound) to \(bounds.upperBound)"
    }
}
