/// A device as a fleet begins with it: a real pod, as a file describes it.
public struct InitialPod: Hashable, Sendable {
    /// A timer that starts with the fleet.
    public struct Timer: Hashable, Sendable {
        /// The change to apply.
        public let change: ACStateChange
        /// The time until then, in seconds.
        public let seconds: UInt32

        /// A timer with those values.
        public init(change: ACStateChange, seconds: UInt32) {
            (self.change, self.seconds) = (change, seconds)
        }
    }

    /// The name, at most ``Limits/nameBytes`` bytes.
    public var name: String
    /// The properties that it may share with others.
    public var group: DeviceGroup
    /// The settings that its remote has codes for.
    public var capabilities: Capabilities
    /// The state of its air conditioner.
    public var state: ACState
    /// Whether it is connected at the start.
    public var isOnline = true
    /// The measured temperature in tenths of a degree Celsius; nil if it measures none.
    public var deciCelsius: Int16?
    /// The measured relative humidity in tenths of a percent; nil if it measures none.
    public var humidityPermille: UInt16?
    /// The settings without the timer, and with schedules that have no due time yet.
    public var settings = DeviceSettings()
    /// The timer that runs; nil for none.
    public var timer: Timer?

    /// A pod with those values, which is online, and has no settings.
    public init(name: String, group: DeviceGroup, capabilities: Capabilities, state: ACState) {
        (self.name, self.group) = (name, group)
        (self.capabilities, self.state) = (capabilities, state)
    }

    /// Returns the settings with the timer, for a start at that time with a clock of that speed.
    public func settings(at start: WallTime, speed: Double) -> DeviceSettings {
        var settings = settings
        settings.timer = timer.map {
            let wait = Duration.milliseconds(Int64((Double($0.seconds) * 1_000 / speed).rounded(.up)))
            return DeviceTimer(change: $0.change, due: start.advanced(by: wait), createdAt: start)
        }
        return settings
    }
}
