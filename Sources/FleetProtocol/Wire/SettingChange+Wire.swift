extension SettingChange: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var change: Choice?
        while let field = try fields.next() {
            if case 1...11 = field { try fields.read(&change) }
        }
        guard let change else { throw .missing("setting") }
        switch change.number {
        case 1: self = .climateReact(try ClimateReact(wire: change.message))
        case 2: self = .climateReactEnabled(try change.message.firstTruth())
        case 3: self = try Self.timer(wire: change.message)
        case 4: self = .noTimer
        case 5: self = .filterCleaned
        case 7: self = try Self.schedule(wire: change.message)
        case 8:
            let (id, isEnabled) = try Self.idAndTruth(wire: change.message)
            self = .scheduleEnabled(id, isEnabled)
        case 9: self = .noSchedule(try Self.idAndTruth(wire: change.message).id)
        case 10:
            let (deciCelsius, humidityPermille) = try SensorCalibration.added(wire: change.message)
            guard deciCelsius != nil || humidityPermille != nil else {
                throw .malformed("calibration", "a temperature or a humidity")
            }
            self = .calibration(deciCelsius: deciCelsius, humidityPermille: humidityPermille)
        case 11: self = .pureBoost(try PureBoost(wire: change.message))
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
        case .schedule(let id, let plan):
            fields.put(7) {
                $0.put(1, id.characters)
                $0.put(2, plan)
            }
        case .scheduleEnabled(let id, let isEnabled):
            fields.put(8) {
                $0.put(1, id.characters)
                $0.put(2, isEnabled)
            }
        case .noSchedule(let id): fields.put(9) { $0.put(1, id.characters) }
        case .calibration(let deciCelsius, let humidityPermille):
            fields.put(10) {
                $0.put(1, optional: deciCelsius)
                $0.put(2, optional: humidityPermille)
            }
        case .pureBoost(let wanted): fields.put(11, wanted)
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

    private static func schedule(wire message: FieldReader) throws(WireError) -> SettingChange {
        var fields = message
        var (id, plan) = ("", FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&plan)
            default: break
            }
        }
        guard let plan else { throw .missing("schedule.plan") }
        return .schedule(try ScheduleID(wire: id), try SchedulePlan(wire: plan))
    }

    private static func idAndTruth(
        wire message: FieldReader
    ) throws(WireError) -> (id: ScheduleID, isTrue: Bool) {
        var fields = message
        var (id, isTrue) = ("", false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&isTrue)
            default: break
            }
        }
        return (try ScheduleID(wire: id), isTrue)
    }

    private static func words(_ bounds: ClosedRange<UInt32>) -> String {
        "\(bounds.lowerBound) to \(bounds.upperBound)"
    }
}
