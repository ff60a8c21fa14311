public import Stepping

/// What users have set a device to do by itself, and what it counts for them: most devices have none of it.
///
/// It lies behind one pointer, for every row has room for it.
public struct DeviceSettings: Hashable, Sendable {
    private struct Parts: Hashable, Sendable {
        var climateReact: ClimateReact?
        var timer: DeviceTimer?
        var filter: FilterStatus?
        var schedules: [DeviceSchedule] = []
        var calibration: SensorCalibration?
        var pureBoost: PureBoost?
    }

    private indirect enum Storage: Hashable, Sendable {
        case parts(Parts)
    }

    private var storage = Storage.parts(Parts())

    /// Nothing is set.
    public init() {}

    /// The range that the device keeps its room in; nil where nobody has set one.
    public var climateReact: ClimateReact? {
        get { parts.climateReact }
        set { parts.climateReact = newValue }
    }

    /// What the device will set by itself; nil where nothing is planned.
    public var timer: DeviceTimer? {
        get { parts.timer }
        set { parts.timer = newValue }
    }

    /// How long its filters have been in use; nil where nobody counts.
    public var filter: FilterStatus? {
        get { parts.filter }
        set { parts.filter = newValue }
    }

    /// What the device will set by itself on days of the week, each under an id of its own and in the order
    /// in which they were added; ``Limits/deviceSchedules`` at most.
    public var schedules: [DeviceSchedule] {
        get { parts.schedules }
        set { parts.schedules = newValue }
    }

    /// What its pod adds to what it measures; nil where that is nothing.
    public var calibration: SensorCalibration? {
        get { parts.calibration }
        set { parts.calibration = newValue == SensorCalibration.zero ? nil : newValue }
    }

    /// How its fan goes by the air; nil where nobody has said.
    public var pureBoost: PureBoost? {
        get { parts.pureBoost }
        set { parts.pureBoost = newValue }
    }

    /// Whether nothing is set.
    public var isEmpty: Bool { parts == Parts() }

    private var parts: Parts {
        get {
            switch storage {
            case .parts(let parts): parts
            }
        }
        set { storage = .parts(newValue) }
    }
}

extension DeviceSettings: CustomStringConvertible {
    /// What is set, part by part.
    ///
    /// Its own, because what Swift makes of private types has addresses in it, and traces of two processes
    /// would differ.
    public var description: String {
        let parts = [
            climateReact.map { "\($0)" }, timer.map { "\($0)" }, filter.map { "\($0)" },
            calibration.map { "\($0)" }, pureBoost.map { "\($0)" },
        ]
        let schedules = schedules.map { "\($0)" }
        return "DeviceSettings(\((parts.compactMap { $0 } + schedules).joined(separator: ", ")))"
    }
}

/// What a user changes of a device's settings.
public enum SettingChange: Hashable, Sendable {
    /// How long a timer may be, in seconds: up to a day.
    public static let timerSeconds: ClosedRange<UInt32> = 1...86_400
    /// After how many seconds of running filters may be said to need cleaning: from an hour to some years.
    public static let filterSeconds: ClosedRange<UInt32> = 3_600...100_000_000

    /// The range that it keeps its room in.
    case climateReact(ClimateReact)
    /// Whether it keeps its room in the range that was set.
    case climateReactEnabled(Bool)
    /// What it will set so many simulated seconds, ``timerSeconds``, from when it hears of it; instead of
    /// what was planned.
    case timer(ACStateChange, afterSeconds: UInt32)
    /// Nothing is planned any more.
    case noTimer
    /// Its filters are clean.
    case filterCleaned
    /// After how many simulated seconds of running, ``filterSeconds``, its filters should be cleaned.
    case filterThreshold(seconds: UInt32)
    /// What it will set on days of the week from now on, instead of the schedule of that id that there may
    /// be; it has ``Limits/deviceSchedules`` at most.
    case schedule(ScheduleID, SchedulePlan)
    /// Whether the schedule of that id, which it has, happens.
    case scheduleEnabled(ScheduleID, Bool)
    /// The schedule of that id, which it has, is gone.
    case noSchedule(ScheduleID)
    /// What its pod adds to what it measures, one of both at least, in tenths of a degree Celsius and of a
    /// percent, ``SensorCalibration/tenths``; what is nil stays as it is.
    case calibration(deciCelsius: Int16?, humidityPermille: Int16?)
    /// How its fan goes by the air.
    case pureBoost(PureBoost)
}

/// What a device sets once, when its time has come; then it is gone.
///
/// It is due by the clock that people read, for it outlives the process that simulates the device.
public struct DeviceTimer: Hashable, Sendable {
    /// What is set; what it does not name stays as it is.
    public let change: ACStateChange
    /// When.
    public let due: WallTime
    /// When it was set; nil where nobody noted that.
    public let createdAt: WallTime?

    /// That change at that time.
    public init(change: ACStateChange, due: WallTime, createdAt: WallTime? = nil) {
        self.change = change
        self.due = due
        self.createdAt = createdAt
    }
}

/// How long an air conditioner has run since its filters were cleaned.
///
/// It is counted from when somebody first cleaned them or set the threshold. Nothing ticks: a count is noted
/// whenever it begins to grow or stops, and between two notes it follows from the time.
public struct FilterStatus: Hashable, Sendable {
    /// The seconds of running after which filters should be cleaned where nobody has said: 300 hours, what
    /// real devices were seen to have.
    public static let usualThresholdSeconds: UInt32 = 1_080_000

    /// When they were cleaned; nil where that was before anybody counted.
    public let cleanedAt: WallTime?
    /// After how many simulated seconds of running they should be cleaned.
    public let thresholdSeconds: UInt32
    /// How many simulated seconds it had run when the count was noted.
    public let notedSeconds: Double
    /// When that was.
    public let notedAt: WallTime
    /// How many simulated seconds it runs in a real one since then; 0 while it is off.
    public let secondsPerSecond: Double

    /// The status of those values.
    public init(
        cleanedAt: WallTime?, thresholdSeconds: UInt32 = usualThresholdSeconds, notedSeconds: Double = 0,
        notedAt: WallTime, secondsPerSecond: Double
    ) {
        self.cleanedAt = cleanedAt
        self.thresholdSeconds = thresholdSeconds
        self.notedSeconds = notedSeconds
        self.notedAt = notedAt
        self.secondsPerSecond = secondsPerSecond
    }

    /// How many simulated seconds it has run since they were cleaned; a clock that was set back takes none
    /// away.
    public func runningSeconds(at now: WallTime) -> Double {
        let away = max(0, notedAt.duration(to: now).wholeMilliseconds)
        return notedSeconds + Double(away) / 1_000 * secondsPerSecond
    }

    /// Whether they should be cleaned.
    public func shouldClean(at now: WallTime) -> Bool {
        runningSeconds(at: now) >= Double(thresholdSeconds)
    }

    /// The same count, noted now and growing at another pace from here on.
    public func noted(at now: WallTime, secondsPerSecond: Double) -> FilterStatus {
        FilterStatus(
            cleanedAt: cleanedAt, thresholdSeconds: thresholdSeconds, notedSeconds: runningSeconds(at: now),
            notedAt: now, secondsPerSecond: secondsPerSecond)
    }
}

/// How a Sensibo Pure is set to blow harder by itself when the air is bad: its pure boost.
///
/// It is kept and told, and nothing follows from it: no pod here measures how clean the air is.
public struct PureBoost: Hashable, Sendable {
    /// How soon it acts.
    public enum Sensitivity: UInt8, ACSetting {
        case normal, sensitive
    }

    /// What besides its own sensor it goes by.
    public struct Integrations: OptionSet, Hashable, Sendable {
        /// A bit for each.
        public let rawValue: UInt8

        /// Those of the bits; of a bit that stands for none nothing is left.
        public init(rawValue: UInt8) { self.rawValue = rawValue & 0x0f }

        /// What other devices measure.
        public static let measurements = Integrations(rawValue: 1)
        /// Whether air conditioners run.
        public static let airConditioners = Integrations(rawValue: 2)
        /// Whether somebody is at home.
        public static let geofence = Integrations(rawValue: 4)
        /// How clean the air outside is: Sensibo's prime integration.
        public static let prime = Integrations(rawValue: 8)
    }

    /// Whether it acts.
    public var isEnabled: Bool
    /// How soon.
    public var sensitivity: Sensitivity
    /// What besides its own sensor it goes by.
    public var integrations: Integrations

    /// The pure boost of those values.
    public init(
        isEnabled: Bool = true, sensitivity: Sensitivity = .normal, integrations: Integrations = []
    ) {
        self.isEnabled = isEnabled
        self.sensitivity = sensitivity
        self.integrations = integrations
    }
}

/// What a pod adds to what its sensors say.
public struct SensorCalibration: Hashable, Sendable {
    /// How much may be added, in tenths: 10 °C or 10 % either way, what Home Assistant lets its users set.
    public static let tenths: ClosedRange<Int16> = -100...100

    /// Nothing is added.
    public static let zero = SensorCalibration()

    /// Tenths of a degree Celsius, one of ``tenths``.
    public var deciCelsius: Int16
    /// Tenths of a percent of relative humidity, one of ``tenths``.
    public var humidityPermille: Int16

    /// The calibration of those values.
    public init(deciCelsius: Int16 = 0, humidityPermille: Int16 = 0) {
        self.deciCelsius = deciCelsius
        self.humidityPermille = humidityPermille
    }
}
