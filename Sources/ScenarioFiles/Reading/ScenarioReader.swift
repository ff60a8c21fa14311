import DeviceCore

/// Understands the entries of a scenario file, key by key, and notes all that is wrong.
///
/// A wrong value is left out and the rest is read on, so that one look at a file finds everything.
struct ScenarioReader {
    /// The sections of a file.
    static let sections = [
        "name", "about", "clock", "weather", "population", "people", "network", "infrared", "answer",
        "hangs", "reboots", "nodes", "herd", "cloud",
    ]
    /// The sections in words.
    static let sectionsInWords = "a mapping of " + sections.joined(separator: ", ")

    var findings = Findings()
    /// Every rate of the file, to hold against the clock's speed.
    var rates: [(entry: Entry, rate: Scenario.Rate)] = []

    /// The scenario of a whole file.
    ///
    /// - Parameter name: What it is called when it does not say so.
    mutating func scenario(_ root: Entry, name: String) -> Scenario {
        var scenario = Scenario(name: name)
        guard let fields = fields(of: root, Self.sections) else { return scenario }
        scenario.name = self.name(fields["name"]) ?? scenario.name
        scenario.about = about(fields["about"]) ?? scenario.about
        scenario.clock = clock(fields["clock"]) ?? scenario.clock
        scenario.weather = weather(fields["weather"]) ?? scenario.weather
        scenario.population = population(fields["population"]) ?? scenario.population
        scenario.people = people(fields["people"]) ?? scenario.people
        scenario.network = network(fields["network"]) ?? scenario.network
        scenario.infrared = infrared(fields["infrared"]) ?? scenario.infrared
        scenario.answer = latency(fields["answer"]) ?? scenario.answer
        scenario.hangs = hangs(fields["hangs"]) ?? scenario.hangs
        scenario.reboots = reboots(fields["reboots"]) ?? scenario.reboots
        scenario.nodes = nodes(fields["nodes"]) ?? scenario.nodes
        scenario.herd = herd(fields["herd"])
        scenario.cloud = cloud(fields["cloud"]) ?? scenario.cloud
        checkRates(at: scenario.clock.speed)
        return scenario
    }

    private mutating func clock(_ entry: Entry?) -> Scenario.Clock? {
        guard let fields = fields(of: entry, ["speed", "start"]) else { return nil }
        let usual = Scenario.Clock()
        return Scenario.Clock(
            speed: number(fields["speed"], in: Scenario.Clock.speeds, "simulated seconds in a real one")
                ?? usual.speed,
            start: timeOfDay(fields["start"]) ?? usual.start)
    }

    private mutating func weather(_ entry: Entry?) -> Scenario.Weather? {
        guard let fields = fields(of: entry, ["mean", "swing", "hottest", "humidity"]) else { return nil }
        let usual = Scenario.Weather()
        return Scenario.Weather(
            meanCelsius: number(fields["mean"], in: -40...55, "°C") ?? usual.meanCelsius,
            swingKelvin: number(fields["swing"], in: 0...25, "K up and down from the mean")
                ?? usual.swingKelvin,
            hottest: timeOfDay(fields["hottest"]) ?? usual.hottest,
            humidityPercent: number(fields["humidity"], in: 0...100, "percent") ?? usual.humidityPercent)
    }

    private mutating func people(_ entry: Entry?) -> Scenario.People? {
        guard let fields = fields(of: entry, ["switches-per-hour", "hand-remotes-per-hour"]) else {
            return nil
        }
        return Scenario.People(
            switches: rate(fields["switches-per-hour"]) ?? .never,
            handRemotes: rate(fields["hand-remotes-per-hour"]) ?? .never)
    }

    private mutating func infrared(_ entry: Entry?) -> Scenario.Infrared? {
        guard let fields = fields(of: entry, ["loss"]) else { return nil }
        return Scenario.Infrared(loss: probability(fields["loss"]) ?? 0)
    }

    private mutating func nodes(_ entry: Entry?) -> Scenario.Nodes? {
        guard let fields = fields(of: entry, ["crashes-per-hour"]) else { return nil }
        return Scenario.Nodes(crashes: rate(fields["crashes-per-hour"]) ?? .never)
    }

    /// What a device goes through in a real second is bounded: a faster clock leaves room for less.
    private mutating func checkRates(at speed: Double) {
        for (entry, rate) in rates {
            let perSecond = rate.peakPerHour / 3_600 * speed
            guard perSecond > ScenarioLimits.perRealSecond else { continue }
            let figure = NumberText.of(rate.peakPerHour)
            findings.add(
                entry.place,
                found: "\(figure) an hour at \(NumberText.of(speed)) times the real speed",
                allowed: "at that speed at most "
                    + NumberText.of((ScenarioLimits.perRealSecond * 3_600 / speed).rounded(.down))
                    + " an hour: \(NumberText.of(ScenarioLimits.perRealSecond)) a real second")
        }
    }
}
