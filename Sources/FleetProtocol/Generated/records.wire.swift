// Made by protoc-gen-fleetwire from proto/mapping/FleetProtocol.records: `make proto` makes it again.
// swift-format-ignore-file

extension MonotonicTime: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(nanoseconds)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let nanoseconds = try reader.read(Int64.self)
        guard Limits.monotonicNanoseconds.contains(nanoseconds) else { throw .malformed(field: "time") }
        self.init(nanoseconds: nanoseconds)
    }
}

extension WallTime: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(unixMilliseconds)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let unixMilliseconds = try reader.read(Int64.self)
        guard Limits.wallMilliseconds.contains(unixMilliseconds) else { throw .malformed(field: "time") }
        self.init(unixMilliseconds: unixMilliseconds)
    }
}

extension Moment: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(monotonic)
        writer.put(wall)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let monotonic = try reader.read(MonotonicTime.self)
        let wall = try reader.read(WallTime.self)
        self.init(monotonic: monotonic, wall: wall)
    }
}

extension Version: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(value)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let value = try reader.read(UInt64.self)
        guard value <= Limits.largestOrdinal else { throw .malformed(field: "number") }
        self.init(value)
    }
}

extension CommandNumber: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(value)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let value = try reader.read(UInt64.self)
        guard value <= Limits.largestOrdinal else { throw .malformed(field: "number") }
        self.init(value)
    }
}

extension Epoch: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(value)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let value = try reader.read(UInt64.self)
        guard value <= Limits.largestOrdinal else { throw .malformed(field: "number") }
        self.init(value)
    }
}

extension StreamSequence: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(value)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let value = try reader.read(UInt64.self)
        guard value <= Limits.largestOrdinal else { throw .malformed(field: "number") }
        self.init(value)
    }
}

extension Incarnation: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(bits)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let bits = try reader.read(UInt64.self)
        self.init(bits: bits)
    }
}

extension RequestID: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(high)
        writer.put(low)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let high = try reader.read(UInt64.self)
        let low = try reader.read(UInt64.self)
        self.init(high: high, low: low)
    }
}

extension DeviceID: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(bits)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let bits = try reader.read(UInt64.self)
        guard let value = Self(bits: bits) else { throw .malformed(field: "device") }
        self = value
    }
}

extension ScheduleID: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(bits)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let bits = try reader.read(UInt64.self)
        guard let value = Self(bits: bits) else { throw .malformed(field: "schedule's id") }
        self = value
    }
}

extension AccountID: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(name)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let name = try reader.readText("name")
        guard let value = Self(name) else { throw .malformed(field: "account") }
        self = value
    }
}

extension Email: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(address)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let address = try reader.readText("address")
        guard let value = Self(address) else { throw .malformed(field: "email") }
        self = value
    }
}

extension ACMode: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "mode") }
        self = value
    }
}

extension FanLevel: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "fan level") }
        self = value
    }
}

extension Swing: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "swing") }
        self = value
    }
}

extension HorizontalSwing: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "horizontal swing") }
        self = value
    }
}

extension Light: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "light") }
        self = value
    }
}

extension TemperatureUnit: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "unit of temperature") }
        self = value
    }
}

extension ChangeCause: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "what changed it") }
        self = value
    }
}

extension UndeterminedReason: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "reason") }
        self = value
    }
}

extension ClimateReact.Measure: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "measure") }
        self = value
    }
}

extension PureBoost.Sensitivity: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "sensitivity") }
        self = value
    }
}

extension QueuePlan.OnFailure: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "policy") }
        self = value
    }
}

extension QueuedOutcome.Kind: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "end") }
        self = value
    }
}

extension QueueState: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let value = Self(rawValue: try reader.readByte()) else { throw .malformed(field: "state") }
        self = value
    }
}

extension ACStateChange: Recordable {
    public func write(to writer: inout RecordWriter) {
        var flags: UInt8 = 0
        if isOn != nil { flags |= 1 }
        if mode != nil { flags |= 2 }
        if targetTemperature != nil { flags |= 4 }
        if fanLevel != nil { flags |= 8 }
        if swing != nil { flags |= 16 }
        if horizontalSwing != nil { flags |= 32 }
        if light != nil { flags |= 64 }
        if temperatureUnit != nil { flags |= 128 }
        writer.put(byte: flags)
        if let isOn { writer.put(isOn) }
        if let mode { writer.put(mode) }
        if let targetTemperature { writer.put(targetTemperature) }
        if let fanLevel { writer.put(fanLevel) }
        if let swing { writer.put(swing) }
        if let horizontalSwing { writer.put(horizontalSwing) }
        if let light { writer.put(light) }
        if let temperatureUnit { writer.put(temperatureUnit) }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init()
        let flags = try reader.readByte()
        if flags & 1 != 0 { isOn = try reader.readBool("on") }
        if flags & 2 != 0 { mode = try reader.read(ACMode.self) }
        if flags & 4 != 0 { targetTemperature = try reader.read(Int8.self) }
        if flags & 8 != 0 { fanLevel = try reader.read(FanLevel.self) }
        if flags & 16 != 0 { swing = try reader.read(Swing.self) }
        if flags & 32 != 0 { horizontalSwing = try reader.read(HorizontalSwing.self) }
        if flags & 64 != 0 { light = try reader.read(Light.self) }
        if flags & 128 != 0 { temperatureUnit = try reader.read(TemperatureUnit.self) }
    }
}

extension DeviceState: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(state)
        writer.put(version)
        writer.put(incarnation)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let state = try reader.read(ACState.self)
        let version = try reader.read(Version.self)
        let incarnation = try reader.read(Incarnation.self)
        self.init(state: state, version: version, incarnation: incarnation)
    }
}

extension Expectation: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(incarnation)
        writer.put(version)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let incarnation = try reader.read(Incarnation.self)
        let version = try reader.read(Version.self)
        self.init(incarnation: incarnation, version: version)
    }
}

extension CommandIdentity: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(incarnation)
        writer.put(commandNumber)
        writer.put(requestID)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let device = try reader.read(DeviceID.self)
        let incarnation = try reader.read(Incarnation.self)
        let commandNumber = try reader.read(CommandNumber.self)
        let requestID = try reader.read(RequestID.self)
        self.init(device: device, incarnation: incarnation, commandNumber: commandNumber, requestID: requestID)
    }
}

extension Command.Kind: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .toggle:
            writer.put(byte: 1)
        case .set(let value0):
            writer.put(byte: 2)
            writer.put(value0)
        case .correct(let value0):
            writer.put(byte: 3)
            writer.put(value0)
        case .configure(let value0):
            writer.put(byte: 4)
            writer.put(value0)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.readByte() {
        case 1:
            self = .toggle
        case 2:
            let value0 = try reader.read(ACStateChange.self)
            self = .set(value0)
        case 3:
            let value0 = try reader.read(ACStateChange.self)
            self = .correct(value0)
        case 4:
            let value0 = try reader.read(SettingChange.self)
            self = .configure(value0)
        default: throw .malformed(field: "kind")
        }
    }
}

extension SettingChange: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .climateReact(let value0):
            writer.put(byte: 1)
            writer.put(value0)
        case .climateReactEnabled(let value0):
            writer.put(byte: 2)
            writer.put(value0)
        case .timer(let value0, let afterSeconds):
            writer.put(byte: 3)
            writer.put(value0)
            writer.put(afterSeconds)
        case .noTimer:
            writer.put(byte: 4)
        case .filterCleaned:
            writer.put(byte: 5)
        case .filterThreshold(let seconds):
            writer.put(byte: 6)
            writer.put(seconds)
        case .schedule(let value0, let value1):
            writer.put(byte: 7)
            writer.put(value0)
            writer.put(value1)
        case .scheduleEnabled(let value0, let value1):
            writer.put(byte: 8)
            writer.put(value0)
            writer.put(value1)
        case .noSchedule(let value0):
            writer.put(byte: 9)
            writer.put(value0)
        case .calibration(let deciCelsius, let humidityPermille):
            writer.put(byte: 10)
            writer.put(padded: deciCelsius)
            writer.put(padded: humidityPermille)
        case .pureBoost(let value0):
            writer.put(byte: 11)
            writer.put(value0)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.readByte() {
        case 1:
            let value0 = try reader.read(ClimateReact.self)
            self = .climateReact(value0)
        case 2:
            let value0 = try reader.readBool("enabled")
            self = .climateReactEnabled(value0)
        case 3:
            let value0 = try reader.read(ACStateChange.self)
            let afterSeconds = try reader.read(UInt32.self)
            self = .timer(value0, afterSeconds: afterSeconds)
        case 4:
            self = .noTimer
        case 5:
            self = .filterCleaned
        case 6:
            let seconds = try reader.read(UInt32.self)
            self = .filterThreshold(seconds: seconds)
        case 7:
            let value0 = try reader.read(ScheduleID.self)
            let value1 = try reader.read(SchedulePlan.self)
            self = .schedule(value0, value1)
        case 8:
            let value0 = try reader.read(ScheduleID.self)
            let value1 = try reader.readBool("enabled")
            self = .scheduleEnabled(value0, value1)
        case 9:
            let value0 = try reader.read(ScheduleID.self)
            self = .noSchedule(value0)
        case 10:
            let deciCelsius = try reader.readPadded(Int16.self, "calibration")
            let humidityPermille = try reader.readPadded(Int16.self, "calibration")
            self = .calibration(deciCelsius: deciCelsius, humidityPermille: humidityPermille)
        case 11:
            let value0 = try reader.read(PureBoost.self)
            self = .pureBoost(value0)
        default: throw .malformed(field: "setting")
        }
    }
}

extension ClimateReact: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(isEnabled)
        writer.put(measure)
        writer.put(low)
        writer.put(high)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let isEnabled = try reader.readBool("enabled")
        let measure = try reader.read(ClimateReact.Measure.self)
        let low = try reader.readOptional(ClimateReact.Side.self, "low side")
        let high = try reader.readOptional(ClimateReact.Side.self, "high side")
        self.init(isEnabled: isEnabled, measure: measure, low: low, high: high)
    }
}

extension ClimateReact.Side: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(tenths)
        writer.put(change)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let tenths = try reader.read(Int16.self)
        let change = try reader.read(ACStateChange.self)
        self.init(tenths: tenths, change: change)
    }
}

extension DeviceTimer: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(change)
        writer.put(due)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let change = try reader.read(ACStateChange.self)
        let due = try reader.read(WallTime.self)
        self.init(change: change, due: due)
    }
}

extension FilterStatus: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(cleanedAt)
        writer.put(thresholdSeconds)
        writer.put(recordedSeconds.bitPattern)
        writer.put(recordedAt)
        writer.put(secondsPerSecond.bitPattern)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let cleanedAt = try reader.readOptional(WallTime.self, "time of cleaning")
        let thresholdSeconds = try reader.read(UInt32.self)
        let recordedSeconds = Double(bitPattern: try reader.read(UInt64.self))
        let recordedAt = try reader.read(WallTime.self)
        let secondsPerSecond = Double(bitPattern: try reader.read(UInt64.self))
        guard Self.areAllowed(recordedSeconds, secondsPerSecond) else { throw .malformed(field: "filter") }
        self.init(cleanedAt: cleanedAt, thresholdSeconds: thresholdSeconds, recordedSeconds: recordedSeconds, recordedAt: recordedAt, secondsPerSecond: secondsPerSecond)
    }
}

extension SensorCalibration: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(deciCelsius)
        writer.put(humidityPermille)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let deciCelsius = try reader.read(Int16.self)
        let humidityPermille = try reader.read(Int16.self)
        guard Self.tenths.contains(deciCelsius) && Self.tenths.contains(humidityPermille) else { throw .malformed(field: "calibration") }
        self.init(deciCelsius: deciCelsius, humidityPermille: humidityPermille)
    }
}

extension PureBoost: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(isEnabled)
        writer.put(sensitivity)
        writer.put(integrations)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let isEnabled = try reader.readBool("enabled")
        let sensitivity = try reader.read(PureBoost.Sensitivity.self)
        let integrations = try reader.read(PureBoost.Integrations.self)
        self.init(isEnabled: isEnabled, sensitivity: sensitivity, integrations: integrations)
    }
}

extension PureBoost.Integrations: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let rawValue = try reader.read(UInt8.self)
        self.init(rawValue: rawValue)
    }
}

extension Weekdays: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(rawValue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let rawValue = try reader.read(UInt8.self)
        guard (1...Self.all.rawValue).contains(rawValue) else { throw .malformed(field: "weekdays") }
        self.init(rawValue: rawValue)
    }
}

extension LocalTime: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(minuteOfDay)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let minuteOfDay = try reader.read(UInt16.self)
        guard let value = Self(minuteOfDay: minuteOfDay) else { throw .malformed(field: "time of day") }
        self = value
    }
}

extension TimeZoneName: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(text)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let text = try reader.readText("text")
        guard let value = Self(text) else { throw .malformed(field: "time zone") }
        self = value
    }
}

extension SchedulePlan: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(change)
        writer.put(time)
        writer.put(weekdays)
        writer.put(zone)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let change = try reader.read(ACStateChange.self)
        let time = try reader.read(LocalTime.self)
        let weekdays = try reader.read(Weekdays.self)
        let zone = try reader.read(TimeZoneName.self)
        self.init(change: change, time: time, weekdays: weekdays, zone: zone)
    }
}

extension DeviceSchedule: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(id)
        writer.put(plan)
        writer.put(isEnabled)
        writer.put(createdAt)
        writer.put(due)
        writer.put(calendarDue)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let id = try reader.read(ScheduleID.self)
        let plan = try reader.read(SchedulePlan.self)
        let isEnabled = try reader.readBool("enabled")
        let createdAt = try reader.read(WallTime.self)
        let due = try reader.read(WallTime.self)
        let calendarDue = try reader.read(WallTime.self)
        self.init(id: id, plan: plan, isEnabled: isEnabled, createdAt: createdAt, due: due, calendarDue: calendarDue)
    }
}

extension Outcome: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .applied(let value0):
            writer.put(byte: 1)
            writer.put(value0)
        case .unchanged(let value0):
            writer.put(byte: 2)
            writer.put(value0)
        case .conflict(let value0):
            writer.put(byte: 3)
            writer.put(value0)
        case .rejected(let value0):
            writer.put(byte: 4)
            writer.put(value0)
        case .cancelled:
            writer.put(byte: 5)
        case .expired:
            writer.put(byte: 6)
        case .undetermined(let value0):
            writer.put(byte: 7)
            writer.put(value0)
        case .unknown:
            writer.put(byte: 8)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.readByte() {
        case 1:
            let value0 = try reader.read(DeviceState.self)
            self = .applied(value0)
        case 2:
            let value0 = try reader.read(DeviceState.self)
            self = .unchanged(value0)
        case 3:
            let value0 = try reader.read(DeviceState.self)
            self = .conflict(value0)
        case 4:
            let value0 = try reader.readText("reason")
            self = .rejected(value0)
        case 5:
            self = .cancelled
        case 6:
            self = .expired
        case 7:
            let value0 = try reader.read(UndeterminedReason.self)
            self = .undetermined(value0)
        case 8:
            self = .unknown
        default: throw .malformed(field: "outcome")
        }
    }
}

extension OutcomeReport: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(requestID)
        writer.put(device)
        writer.put(outcome)
        writer.put(user)
        writer.put(versionBefore)
        writer.put(attempts)
        writer.put(timing)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let requestID = try reader.read(RequestID.self)
        let device = try reader.readOptional(DeviceID.self, "device")
        let outcome = try reader.read(Outcome.self)
        let user = try reader.read(Email.self)
        let versionBefore = try reader.read(Version.self)
        let attempts = try reader.read(UInt32.self)
        let timing = try reader.read(OutcomeReport.Timing.self)
        self.init(requestID: requestID, device: device, outcome: outcome, user: user, versionBefore: versionBefore, attempts: attempts, timing: timing)
    }
}

extension OutcomeReport.Timing: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(totalUs)
        writer.put(queueUs)
        writer.put(wireUs)
        writer.put(deviceUs)
        writer.put(journalUs)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let totalUs = try reader.read(UInt64.self)
        let queueUs = try reader.read(UInt64.self)
        let wireUs = try reader.read(UInt64.self)
        let deviceUs = try reader.read(UInt64.self)
        let journalUs = try reader.read(UInt64.self)
        self.init(totalUs: totalUs, queueUs: queueUs, wireUs: wireUs, deviceUs: deviceUs, journalUs: journalUs)
    }
}

extension Verdict: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .applied:
            writer.put(byte: 1)
        case .unchanged:
            writer.put(byte: 2)
        case .conflict:
            writer.put(byte: 3)
        case .rejected(let value0):
            writer.put(byte: 4)
            writer.put(value0)
        case .expired:
            writer.put(byte: 5)
        case .aborted:
            writer.put(byte: 6)
        case .staleIncarnation:
            writer.put(byte: 7)
        case .staleEpoch:
            writer.put(byte: 8)
        case .staleCommandNumber:
            writer.put(byte: 9)
        case .commandNumberTaken:
            writer.put(byte: 10)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.readByte() {
        case 1:
            self = .applied
        case 2:
            self = .unchanged
        case 3:
            self = .conflict
        case 4:
            let value0 = try reader.readText("reason")
            self = .rejected(value0)
        case 5:
            self = .expired
        case 6:
            self = .aborted
        case 7:
            self = .staleIncarnation
        case 8:
            self = .staleEpoch
        case 9:
            self = .staleCommandNumber
        case 10:
            self = .commandNumberTaken
        default: throw .malformed(field: "verdict")
        }
    }
}

extension QueueReport: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: 1)
        writer.put(id)
        writer.put(plan)
        writer.put(author)
        writer.put(startedAt)
        writer.put(state)
        writer.put(endedAt)
        for element in progress { writer.put(element) }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard try reader.readByte() == 1 else { throw .malformed(field: "form") }
        let id = try reader.read(RequestID.self)
        let plan = try reader.read(QueuePlan.self)
        let author = try reader.read(Email.self)
        let startedAt = try reader.read(WallTime.self)
        let state = try reader.read(QueueState.self)
        let endedAt = try reader.readOptional(WallTime.self, "end")
        var progress: [QueueProgress] = []
        for _ in plan.commands { progress.append(try reader.read(QueueProgress.self)) }
        self.init(id: id, plan: plan, author: author, startedAt: startedAt, state: state, endedAt: endedAt, progress: progress)
    }
}

extension QueuePlan: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(onFailure)
        writer.put(UInt32(commands.count))
        for element in commands { writer.put(element) }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let onFailure = try reader.read(QueuePlan.OnFailure.self)
        let commandsCount = try reader.read(UInt32.self)
        guard commandsCount <= Limits.queueCommands else { throw .malformed(field: "number of commands") }
        var commands: [QueueCommand] = []
        for _ in 0..<commandsCount { commands.append(try reader.read(QueueCommand.self)) }
        do throws(QueuePlanError) {
            try self.init(commands: commands, onFailure: onFailure)
        } catch {
            throw .malformed(field: "plan")
        }
    }
}

extension QueueCommand: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(label)
        writer.put(device)
        writer.put(kind)
        writer.put(takes.wholeMilliseconds)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let label = try reader.readText("label")
        let device = try reader.read(DeviceID.self)
        let kind = try reader.read(Command.Kind.self)
        let takes = try reader.read(Int64.self)
        self.init(label: label, device: device, kind: kind, takes: .milliseconds(takes))
    }
}

extension QueuedOutcome: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(kind)
        writer.put(explanation)
        writer.put(endedAt)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        let kind = try reader.read(QueuedOutcome.Kind.self)
        let explanation = try reader.readText("explanation")
        let endedAt = try reader.read(WallTime.self)
        self.init(kind, explanation, at: endedAt)
    }
}

extension QueueProgress: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .waiting:
            writer.put(byte: 1)
        case .running(let value0):
            writer.put(byte: 2)
            writer.put(value0)
        case .ended(let value0, let value1):
            writer.put(byte: 3)
            writer.put(value0)
            writer.put(value1)
        case .skipped:
            writer.put(byte: 4)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.readByte() {
        case 1:
            self = .waiting
        case 2:
            let value0 = try reader.read(RequestID.self)
            self = .running(value0)
        case 3:
            let value0 = try reader.read(RequestID.self)
            let value1 = try reader.read(QueuedOutcome.self)
            self = .ended(value0, value1)
        case 4:
            self = .skipped
        default: throw .malformed(field: "progress")
        }
    }
}
