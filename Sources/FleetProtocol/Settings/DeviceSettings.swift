/// A device's automatic functions and its filter counter; most devices have none of them.
///
/// The parts are boxed behind one pointer, because every row reserves space for this type.
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

    /// Creates empty settings.
    public init() {}

    /// Climate React, which keeps the room within a range; nil if it is not set.
    public var climateReact: ClimateReact? {
        get { parts.climateReact }
        set { parts.climateReact = newValue }
    }

    /// The timer; nil if none is set.
    public var timer: DeviceTimer? {
        get { parts.timer }
        set { parts.timer = newValue }
    }

    /// The running time since the filters were cleaned; nil until the first cleaning or threshold is set.
    public var filter: FilterStatus? {
        get { parts.filter }
        set { parts.filter = newValue }
    }

    /// The weekly schedules in the order in which they were added, each with its own ID; at most
    /// ``Limits/deviceSchedules``.
    public var schedules: [DeviceSchedule] {
        get { parts.schedules }
        set { parts.schedules = newValue }
    }

    /// The offsets that the pod adds to its measurements; nil if both are zero.
    public var calibration: SensorCalibration? {
        get { parts.calibration }
        set { parts.calibration = newValue == SensorCalibration.zero ? nil : newValue }
    }

    /// Pure boost, which adapts the fan to the air quality; nil if it is not set.
    public var pureBoost: PureBoost? {
        get { parts.pureBoost }
        set { parts.pureBoost = newValue }
    }

    /// Whether the settings are empty.
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
    /// The parts that are set.
    ///
    /// Swift's default description of private types contains addresses, which would make the traces of two
    /// processes differ.
    public var description: String {
        let parts = [
            climateReact.map { "\($0)" }, timer.map { "\($0)" }, filter.map { "\($0)" },
            calibration.map { "\($0)" }, pureBoost.map { "\($0)" },
        ]
        let schedules = schedules.map { "\($0)" }
        return "DeviceSettings(\((parts.compactMap { $0 } + schedules).joined(separator: ", ")))"
    }
}

extension SettingChange {
    /// The allowed durations of a timer, in seconds: up to a day.
    public static let timerSeconds: ClosedRange<UInt32> = 1...86_400

    /// The allowed cleaning thresholds, in seconds of running time: from an hour to about three years.
    public static let filterSeconds: ClosedRange<UInt32> = 3_600...100_000_000
}

/// The running time of an air conditioner since its filters were cleaned.
///
/// Counting starts with the first cleaning or threshold. The device records the count only when the rate
/// changes. Between two records the count is computed from the time.
public struct FilterStatus: Hashable, Sendable {
    /// The time of the last cleaning; nil if the filters were not cleaned since counting started.
    public let cleanedAt: WallTime?
    /// The cleaning threshold in simulated seconds of running time.
    public let thresholdSeconds: UInt32
    /// The recorded count, in simulated seconds of running time.
    public let recordedSeconds: Double
    /// The time of that record.
    public let recordedAt: WallTime
    /// The simulated seconds of running time for each real second since that record; 0 while the device is
    /// off.
    public let secondsPerSecond: Double

    /// A status with the given values.
    public init(
        cleanedAt: WallTime?, thresholdSeconds: UInt32 = ProductModel.sky.usualFilterSeconds,
        recordedSeconds: Double = 0,
        recordedAt: WallTime, secondsPerSecond: Double
    ) {
        (self.cleanedAt, self.thresholdSeconds) = (cleanedAt, thresholdSeconds)
        (self.recordedSeconds, self.recordedAt) = (recordedSeconds, recordedAt)
        self.secondsPerSecond = secondsPerSecond
    }

    /// Whether a count and its rate are in range: a count of up to 9e15 still grows by a second.
    static func areAllowed(_ recordedSeconds: Double, _ secondsPerSecond: Double) -> Bool {
        (0...9e15).contains(recordedSeconds) && (0...1e6).contains(secondsPerSecond)
    }

    /// Returns the running time in simulated seconds.
    ///
    /// A clock that was set back does not reduce it.
    public func runningSeconds(at now: WallTime) -> Double {
        let elapsedMs = max(0, recordedAt.duration(to: now).wholeMilliseconds)
        return recordedSeconds + Double(elapsedMs) / 1_000 * secondsPerSecond
    }

    /// Returns whether the running time has reached the threshold.
    public func shouldClean(at now: WallTime) -> Bool {
        runningSeconds(at: now) >= Double(thresholdSeconds)
    }

    /// Returns the status recorded at a new time, with a new rate from there.
    public func updated(at now: WallTime, secondsPerSecond: Double) -> FilterStatus {
        FilterStatus(
            cleanedAt: cleanedAt, thresholdSeconds: thresholdSeconds,
            recordedSeconds: runningSeconds(at: now),
            recordedAt: now, secondsPerSecond: secondsPerSecond)
    }
}

/// Pure boost: a Sensibo Pure raises its fan level when the air is bad.
///
/// The device stores and reports the setting and does not act on it, because no simulated pod measures air
/// quality.
public struct PureBoost: Hashable, Sendable {
    /// The inputs that the device considers in addition to its own sensor.
    public struct Integrations: OptionSet, Hashable, Sendable {
        /// One bit for each input.
        public let rawValue: UInt8

        /// Creates a set from bits; unused bits are cleared.
        public init(rawValue: UInt8) { self.rawValue = rawValue & 0x0f }

        /// The measurements of other devices.
        public static let measurements = Integrations(rawValue: 1)
        /// The power state of air conditioners.
        public static let airConditioners = Integrations(rawValue: 2)
        /// The presence of people at home.
        public static let geofence = Integrations(rawValue: 4)
        /// The outdoor air quality: Sensibo's prime integration.
        public static let prime = Integrations(rawValue: 8)
    }

    /// The settings of a Pure whose user has set none, as recorded.
    public static let usual = PureBoost(isEnabled: false, integrations: [.measurements, .airConditioners])

    /// Whether pure boost is enabled.
    public var isEnabled: Bool
    /// The sensitivity.
    public var sensitivity: Sensitivity
    /// The inputs that the device considers in addition to its own sensor.
    public var integrations: Integrations

    /// Pure boost with the given values.
    public init(isEnabled: Bool = true, sensitivity: Sensitivity = .normal, integrations: Integrations = []) {
        (self.isEnabled, self.sensitivity, self.integrations) = (isEnabled, sensitivity, integrations)
    }
}

extension SensorCalibration {
    /// The allowed offsets in tenths: ±10 °C or ±10 %, the same range as in Home Assistant.
    public static let tenths: ClosedRange<Int16> = -100...100

    /// Offsets of zero.
    public static let zero = SensorCalibration()
}

extension PureBoost.Sensitivity: ACSetting {}
