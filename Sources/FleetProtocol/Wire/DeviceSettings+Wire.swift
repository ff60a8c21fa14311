import Stepping

extension DeviceSettings: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (climateReact, timer) = (FieldReader?.none, FieldReader?.none)
        var (filter, schedules) = (FieldReader?.none, [DeviceSchedule]())
        var (calibration, pureBoost) = (FieldReader?.none, FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&climateReact)
            case 2: try fields.read(&timer)
            case 3: try fields.read(&filter)
            case 4: try fields.read(&schedules)
            case 5: try fields.read(&calibration)
            case 6: try fields.read(&pureBoost)
            default: break
            }
        }
        guard schedules.count <= Limits.deviceSchedules else {
            throw .malformed("schedules", "at most \(Limits.deviceSchedules)")
        }
        self.init()
        if !schedules.isEmpty { self.schedules = schedules }
        self.calibration = try calibration.map(SensorCalibration.init(wire:))
        self.pureBoost = try pureBoost.map(PureBoost.init(wire:))
        self.climateReact = try climateReact.map(ClimateReact.init(wire:))
        self.timer = try timer.map(DeviceTimer.init(wire:))
        self.filter = try filter.map(FilterStatus.init(wire:))
    }

    func write(to fields: inout FieldWriter) {
        if let climateReact { fields.put(1, climateReact) }
        if let timer { fields.put(2, timer) }
        if let filter { fields.put(3, filter) }
        for schedule in schedules { fields.put(4, schedule) }
        if let calibration { fields.put(5, calibration) }
        if let pureBoost { fields.put(6, pureBoost) }
    }

    /// What they take of a chunk's or a telemetry message's bytes at most.
    ///
    /// A change takes 19, so Climate React 60, a timer 45 and the count of a filter 52, calibration and pure
    /// boost 8 each; 16 are for the frames around them. Schedules come on top.
    public var bytesAtMost: Int { 189 + schedules.count * DeviceSchedule.bytesAtMost }
}

extension DeviceTimer: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (change, milliseconds, created) = (FieldReader?.none, Int64(0), Int64?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&change)
            case 2: try fields.read(&milliseconds)
            case 3: try fields.read(&created)
            default: break
            }
        }
        guard let change else { throw .missing("timer.change") }
        self.init(
            change: try ACStateChange(wire: change), due: WallTime(wireMilliseconds: milliseconds),
            createdAt: created.map { WallTime(wireMilliseconds: $0) })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, change)
        fields.put(2, due.unixMilliseconds)
        fields.put(3, optional: createdAt?.unixMilliseconds)
    }
}

extension FilterStatus: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (cleaned, threshold, noted) = (Int64?.none, UInt32(0), Int64(0))
        var (seconds, rate) = (Double(0), Double(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&cleaned)
            case 2: try fields.read(&threshold)
            case 3: try fields.read(&seconds)
            case 4: try fields.read(&noted)
            case 5: try fields.read(&rate)
            default: break
            }
        }
        // Beyond this a second more would be lost, and nothing could be said of the sum.
        guard (0...9e15).contains(seconds), (0...1e6).contains(rate) else {
            throw .malformed("filter", "a number of seconds, and at most a million in one")
        }
        self.init(
            cleanedAt: cleaned.map { WallTime(wireMilliseconds: $0) }, thresholdSeconds: threshold,
            notedSeconds: seconds, notedAt: WallTime(wireMilliseconds: noted), secondsPerSecond: rate)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, optional: cleanedAt?.unixMilliseconds)
        fields.put(2, thresholdSeconds)
        fields.put(3, notedSeconds)
        fields.put(4, notedAt.unixMilliseconds)
        fields.put(5, secondsPerSecond)
    }
}

/// The settings of one row of a chunk: few have any.
struct RowSettings: WireFields {
    let row: UInt32
    let settings: DeviceSettings

    init(row: Int, settings: DeviceSettings) {
        self.row = UInt32(row)
        self.settings = settings
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (row, settings) = (UInt32(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&row)
            case 2: try fields.read(&settings)
            default: break
            }
        }
        guard let settings else { throw .missing("settings") }
        self.row = row
        self.settings = try DeviceSettings(wire: settings)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, row)
        fields.put(2, settings)
    }

    /// Those of each row that has any; rows that are not there have none.
    static func byRow(_ settings: [RowSettings]) -> [Int: DeviceSettings] {
        Dictionary(settings.map { (Int($0.row), $0.settings) }) { _, later in later }
    }
}

/// A device with its settings; empty ones where there are none any more.
struct SettledDevice: WireFields {
    let device: DeviceID
    let settings: DeviceSettings

    init(device: DeviceID, settings: DeviceSettings) {
        self.device = device
        self.settings = settings
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (device, settings) = (DeviceID?.none, FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&settings)
            default: break
            }
        }
        guard let settings else { throw .missing("settings") }
        guard let device else { throw .malformedDevice() }
        self.device = device
        self.settings = try DeviceSettings(wire: settings)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, device)
        fields.put(2, settings)
    }
}
