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
