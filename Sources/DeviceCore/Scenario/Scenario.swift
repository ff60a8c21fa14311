public import FleetProtocol

/// What a simulated fleet goes through by itself.
///
/// A scenario in which nothing was set is ``quiet``: devices stay connected, answer at once, and change
/// only by command. All times and rates are those of the simulated clock, which may run faster than the
/// real one, except ``answer``.
public struct Scenario: Hashable, Sendable {
    /// What it is called.
    public var name: String
    /// What it is for, in a sentence or two; may be empty.
    public var about: String
    /// How fast simulated time runs, and at what time of day it starts.
    public var clock = Clock()
    /// The air outside.
    public var weather = Weather()
    /// Which devices there are, and where.
    public var population = Population()
    /// What people do.
    public var people = People()
    /// What the Wi-Fi of devices does.
    public var network = Network()
    /// What becomes of infrared between a device and its air conditioner.
    public var infrared = Infrared()
    /// How long a device takes to answer, in real time.
    public var answer = Latency.fixed(.zero)
    /// How devices stop answering for a while.
    public var hangs = Hangs()
    /// How devices start again.
    public var reboots = Reboots()
    /// What happens to the processes that host devices.
    public var nodes = Nodes()
    /// When many devices go and come back together; nil for never.
    public var herd: Herd?
    /// What goes wrong between Sensibo's API and those who ask it, in the order of the file.
    public var cloud: [CloudDay.Part] = []

    /// A scenario in which nothing happens yet.
    public init(name: String, about: String = "") {
        self.name = name
        self.about = about
    }

    /// Whether nodes die by themselves, at some time of the day at least.
    public var hasCrashes: Bool { nodes.crashes.peakPerHour > 0 }

    /// What the cloud goes through.
    public var cloudDay: CloudDay {
        CloudDay(speed: clock.speed, start: UInt32(clock.start.secondOfDay), parts: cloud)
    }

    /// Devices stay connected and change only by command.
    public static let quiet = Scenario(name: "quiet")

    /// Hand remotes and Wi-Fi drops now and then: among 100 devices a remote every two seconds and a
    /// drop every eight, and the devices come back after 8 s on average.
    public static let lively = {
        var scenario = Scenario(name: "lively")
        scenario.people.handRemotes = Rate(perHour: 18)
        scenario.network = Network(drops: Rate(perHour: 4.5), meanTimeWithout: .seconds(8))
        return scenario
    }()
}

extension Scenario {
    /// Devices that are alike.
    public struct Group: Hashable, Sendable {
        /// How many devices a group has.
        public enum Size: Hashable, Sendable {
            /// Always as many, as long as there are enough.
            case count(Int)
            /// A part of those that no count has taken, in proportion to the shares of all groups.
            case share(Int)
        }

        /// Between which temperatures Climate React keeps a room.
        public struct ClimateReact: Hashable, Sendable {
            /// It heats below this, °C.
            public let lowCelsius: Double
            /// It cools above this, °C.
            public let highCelsius: Double

            /// The range of those temperatures.
            ///
            /// - Precondition: The low one is below the high one.
            public init(lowCelsius: Double, highCelsius: Double) {
                precondition(
                    lowCelsius < highCelsius, "nothing is between \(lowCelsius) and \(highCelsius) °C")
                self.lowCelsius = lowCelsius
                self.highCelsius = highCelsius
            }
        }

        /// How many there are.
        public var size: Size
        /// What they are sold as.
        public var model: ProductModel
        /// The building they are in.
        public var site: String
        /// The rooms they are in, as evenly as can be; none where rooms are called after the devices.
        public var rooms: [String]
        /// What their air conditioners' remotes send.
        public var remote: RemoteKind
        /// The kind of their air conditioners.
        public var airConditioner: AirConditionerKind
        /// Between which temperatures their rooms are kept; nil where nothing does that.
        public var climateReact: ClimateReact?
        /// Their firmware; nil for the usual one of the model.
        public var firmware: String?

        /// The group of those values.
        public init(
            size: Size = .share(1), model: ProductModel = .sky, site: String = Group.usualSite,
            rooms: [String] = [], remote: RemoteKind = .discrete, airConditioner: AirConditionerKind = .split,
            climateReact: ClimateReact? = nil, firmware: String? = nil
        ) {
            self.size = size
            self.model = model
            self.site = site
            self.rooms = rooms
            self.remote = remote
            self.airConditioner = airConditioner
            self.climateReact = climateReact
            self.firmware = firmware
        }

        /// What they can be set to.
        public var capabilities: Capabilities { model.capabilities(of: airConditioner) }

        /// The building of devices of which nobody said where they are.
        public static let usualSite = "Home"
    }
}

/// What happens to devices, or to the node that hosts them, as often as a scenario's rates say.
enum Happening: CaseIterable, Sendable {
    /// Somebody uses a device's hand remote.
    case handRemote
    /// Somebody switches a device with the app.
    case switching
    /// A device's Wi-Fi drops.
    case drop
    /// A device stops answering for a while.
    case hang
    /// A device starts again.
    case reboot
    /// The node dies.
    case crash

    /// Whether it happens to the node, and not to each of its devices.
    var isOfNode: Bool { self == .crash }
}

extension Scenario {
    /// How often that happens.
    func rate(of happening: Happening) -> Rate {
        switch happening {
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
    /// Which devices there are, and where.
    public struct Population: Hashable, Sendable {
        /// The groups, at least one.
        public let groups: [Group]

        /// The population of those groups: of itself one, of devices that are all alike.
        ///
        /// - Precondition: There is a group, and at most ``Limits/nodeGroups``.
        public init(groups: [Group] = [Group()]) {
            precondition(
                (1...Limits.nodeGroups).contains(groups.count),
                "a population has 1 to \(Limits.nodeGroups) groups")
            self.groups = groups
        }
    }
}
