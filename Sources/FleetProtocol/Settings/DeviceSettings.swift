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
