public import FleetProtocol

/// The events and conditions of a simulated fleet that no command causes. The default is ``quiet``: devices
/// stay connected, answer at once, and change only by command. All times and rates except ``answer`` are in
/// time of the simulated clock, which may run faster than the real one.
public struct Scenario: Hashable, Sendable {
    public var name: String
    /// The purpose, in a sentence or two; may be empty.
    public var about: String
    /// The speed of the simulated clock, and its time of day at the start.
    public var clock = Clock()
    public var weather = Weather()
    public var population = Population()
    public var people = People()
    /// The Wi-Fi drops of devices.
    public var network = Network()
    /// The infrared link between a device and its air conditioner.
    public var infrared = Infrared()
    /// The latency of a device's answers, in real time.
    public var answer = Latency.fixed(.zero)
    /// The hangs of devices: times in which they do not answer.
    public var hangs = Hangs()
    public var reboots = Reboots()
    /// The crashes of node processes.
    public var nodes = Nodes()
    /// The simultaneous disconnection of many devices; nil for none.
    public var herd: Herd?
    /// The faults between Sensibo's API and its clients, in the order of the file.
    public var cloud: [CloudDay.Part] = []

    /// A scenario with a name and a description, and the default of everything else.
    public init(name: String, about: String = "") { (self.name, self.about) = (name, about) }

    /// Whether the rate of node crashes is above zero at any time of the day.
    public var hasCrashes: Bool { nodes.crashes.peakPerHour > 0 }

    /// The faults of the cloud over the day.
    public var cloudDay: CloudDay {
        CloudDay(speed: clock.speed, start: UInt32(clock.start.secondOfDay), parts: cloud)
    }

    /// The scenario in which devices stay connected and change only by command.
    public static let quiet = Scenario(name: "quiet")

    /// Occasional hand remotes and Wi-Fi drops: among 100 devices a remote every two seconds and a drop every
    /// eight; devices reconnect after 8 s on average.
    public static let lively = {
        var scenario = Scenario(name: "lively")
        scenario.people.handRemotes = Rate(perHour: 18)
        scenario.network = Network(drops: Rate(perHour: 4.5), meanTimeWithout: .seconds(8))
        return scenario
    }()
}

extension Scenario {
    /// A group of devices with the same properties.
    public struct Group: Hashable, Sendable {
        public enum Size: Hashable, Sendable {
            /// A fixed number of devices, if the fleet is large enough.
            case count(Int)
            /// A part of the devices beyond all counts, in proportion to the shares of all groups.
            case share(Int)
        }

        /// The temperature range in which Climate React keeps a room.
        public struct ClimateReact: Hashable, Sendable {
            /// The temperature below which it heats, °C.
            public let lowCelsius: Double
            /// The temperature above which it cools, °C.
            public let highCelsius: Double

            /// The range of those temperatures, the low one below the high one.
            public init(lowCelsius: Double, highCelsius: Double) {
                precondition(
                    lowCelsius < highCelsius, "nothing is between \(lowCelsius) and \(highCelsius) °C")
                (self.lowCelsius, self.highCelsius) = (lowCelsius, highCelsius)
            }
        }

        /// Settings of an account that has been in use for a while.
        public struct Settings: Hashable, Sendable {
            /// For how long the filters have run since they were cleaned; nil to count from the start.
            public var filterRun: Duration?
            public var calibration: SensorCalibration?
            public var pureBoost: PureBoost?
            public var schedules: [SchedulePlan] = []

            public init() {}
        }

        public var size: Size
        public var model: ProductModel
        /// The site: the building of the devices.
        public var site: String
        /// The rooms, filled as evenly as possible; empty if rooms are named after their devices.
        public var rooms: [String]
        /// The kind of their air conditioners' remotes.
        public var remote: RemoteKind
        public var airConditioner: AirConditionerKind
        /// The range of Climate React; nil for none.
        public var climateReact: ClimateReact?
        /// The firmware; nil for the model's usual one.
        public var firmware: String?
        /// What users have set before the fleet starts, beside Climate React.
        public var settings = Settings()

        public init(
            size: Size = .share(1), model: ProductModel = .sky, site: String = Group.usualSite,
            rooms: [String] = [], remote: RemoteKind = .discrete, airConditioner: AirConditionerKind = .split,
            climateReact: ClimateReact? = nil, firmware: String? = nil
        ) {
            (self.size, self.model, self.site) = (size, model, site)
            (self.rooms, self.remote, self.airConditioner) = (rooms, remote, airConditioner)
            (self.climateReact, self.firmware) = (climateReact, firmware)
        }

        var capabilities: Capabilities { model.capabilities(of: airConditioner) }

        public static let usualSite = "Home"
    }
}

enum ScenarioEvent: CaseIterable, Sendable {
    case handRemote
    case switching
    case drop
    /// A device stops answering for a while.
    case hang
    case reboot
    case crash

    var isOfNode: Bool { self == .crash }
}

extension Scenario {
    func rate(of event: ScenarioEvent) -> Rate {
        switch event {
        case .handRemote: people.handRemotes
        case .switching: people.switches
        case .drop: network.drops
        case .hang: hangs.rate
        case .reboot: reboots.rate
        case .crash: nodes.crashes
        }
    }
}

extension Scenario {
    /// The devices of a fleet, in groups.
    public struct Population: Hashable, Sendable {
        /// The groups, at least one.
        public let groups: [Group]
        /// The first devices of a fleet with pods from a file; further ones have the groups of these.
        public let pods: [InitialPod]

        /// The population of 1 to ``Limits/nodeGroups`` groups; by default one group of identical devices.
        public init(groups: [Group] = [Group()]) {
            precondition(
                (1...Limits.nodeGroups).contains(groups.count),
                "a population has 1 to \(Limits.nodeGroups) groups")
            (self.groups, pods) = (groups, [])
        }

        /// The population of pods with at most ``Limits/nodeGroups`` groups; nil with more, and without pods.
        public init?(pods: [InitialPod]) {
            var groups: [DeviceGroup] = []
            for pod in pods where !groups.contains(pod.group) { groups.append(pod.group) }
            guard (1...Limits.nodeGroups).contains(groups.count) else { return nil }
            self.pods = pods
            self.groups = groups.map {
                Group(
                    model: $0.model, site: $0.site, remote: $0.remote, airConditioner: $0.airConditioner,
                    firmware: $0.firmware)
            }
        }
    }
}
