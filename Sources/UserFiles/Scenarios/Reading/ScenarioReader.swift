import DeviceCore
import FleetProtocol

/// Reads a scenario from the entries of its file, key by key, and collects all problems. An invalid value is
/// skipped and reading continues, so one pass finds every problem.
struct ScenarioReader: EntryReader {
    static let sections = [
        "name", "about", "clock", "weather", "population", "people", "network", "infrared", "answer",
        "hangs", "reboots", "nodes", "herd", "cloud",
    ]
    static let sectionsDescription = "a mapping of " + sections.joined(separator: ", ")

    /// The time zones that the file may name; nil for all.
    let zones: ZoneDatabase?
    var findings = Findings()
    /// All rates of the file, to be checked against the clock's speed.
    var rates: [(entry: Entry, rate: Scenario.Rate)] = []

    /// Reads the scenario of a whole file, which may have another name than the given one.
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
        guard let fields = fields(of: entry, ["speed", "start", "past"]) else { return nil }
        let usual = Scenario.Clock()
        return Scenario.Clock(
            speed: number(fields["speed"], in: Scenario.Clock.speeds, "simulated seconds in a real one")
                ?? usual.speed,
            start: timeOfDay(fields["start"]) ?? usual.start,
            past: duration(fields["past"], in: .zero...Scenario.Clock.longestPast) ?? usual.past)
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

    /// Checks the rates in real time, which are bounded: a faster clock allows fewer simulated events an
    /// hour.
    private mutating func checkRates(at speed: Double) {
        for (entry, rate) in rates {
            let perSecond = rate.peakPerHour / 3_600 * speed
            guard perSecond > ScenarioLimits.perRealSecond else { continue }
            let figure = NumberText.of(rate.peakPerHour)
            findings.add(
                entry.place, found: "\(figure) an hour at \(NumberText.of(speed)) times the real speed",
                allowed: "at that speed at most "
                    + NumberText.of((ScenarioLimits.perRealSecond * 3_600 / speed).rounded(.down))
                    + " an hour: \(NumberText.of(ScenarioLimits.perRealSecond)) a real second")
        }
    }
}

extension ScenarioReader {
    /// Reads a rate: a number, or a list of periods of the day with a number each.
    mutating func rate(_ entry: Entry?) -> Scenario.Rate? {
        guard let entry else { return nil }
        let rate: Scenario.Rate?
        switch entry.content {
        case .list: rate = daily(entry)
        case .scalar: rate = perHour(entry).map(Scenario.Rate.init(perHour:))
        case .mapping:
            refuse(entry, "a number an hour, or a list of {from, to, rate}")
            return nil
        }
        if let rate { rates.append((entry, rate)) }
        return rate
    }

    private mutating func perHour(_ entry: Entry?) -> Double? {
        number(entry, in: ScenarioLimits.perHour, "times an hour")
    }

    private mutating func daily(_ entry: Entry) -> Scenario.Rate? {
        guard let entries = list(entry, upTo: ScenarioLimits.periods, "periods {from, to, rate}") else {
            return nil
        }
        var periods: [Scenario.Rate.Period] = []
        for entry in entries {
            guard let period = period(entry) else { continue }
            if let other = periods.first(where: { $0.overlaps(period) }) {
                findings.add(
                    entry.place, found: "a period that overlaps \(other.from) to \(other.to)",
                    allowed: "periods that follow each other")
                continue
            }
            periods.append(period)
        }
        return periods.count == entries.count ? Scenario.Rate(daily: periods) : nil
    }

    private mutating func period(_ entry: Entry) -> Scenario.Rate.Period? {
        let keys = ["from", "to", "rate"]
        guard let fields = fields(of: entry, keys) else { return nil }
        let missing = keys.filter { fields[$0] == nil }
        guard missing.isEmpty else {
            findings.add(
                entry.place, found: "a period without " + missing.joined(separator: " and "),
                allowed: "all of from, to, rate")
            return nil
        }
        let times = period(entry, fields)
        guard let perHour = perHour(fields["rate"]), let (from, to) = times else { return nil }
        return Scenario.Rate.Period(from: from, to: to, perHour: perHour)
    }

    /// Reads a part of the day from the keys `from` and `to`, both required.
    mutating func period(
        _ entry: Entry, _ fields: [String: Entry]
    ) -> (from: Scenario.TimeOfDay, to: Scenario.TimeOfDay)? {
        let missing = ["from", "to"].filter { fields[$0] == nil }
        guard missing.isEmpty else {
            findings.add(
                entry.place, found: "a part of the day without " + missing.joined(separator: " and "),
                allowed: "both from and to")
            return nil
        }
        let start = timeOfDay(fields["from"])
        guard let end = endOfPeriod(fields["to"]), let from = start else { return nil }
        if from == end.time, !(end.isMidnight && from == .midnight) {
            findings.add(
                entry.place, found: "a period from \(from) to \(from)",
                allowed: #"two different times; the whole day is from "00:00" to "24:00""#)
            return nil
        }
        return (from, end.time)
    }

    /// Reads the end of a period, which may be `24:00`.
    private mutating func endOfPeriod(_ entry: Entry?) -> (time: Scenario.TimeOfDay, isMidnight: Bool)? {
        scalar(entry, #"a time of day from "00:00" to "24:00""#) { text, _ in
            text == "24:00" ? (.midnight, true) : Self.timeOfDay(text).map { ($0, false) }
        }
    }
}

enum ScenarioLimits {
    static let groups = Limits.nodeGroups
    /// Rooms of all groups together.
    static let rooms = 1_000
    static let nameCharacters = 64
    /// Bytes in a room's name: a device's name is its room's, plus a number of up to seven digits in
    /// parentheses.
    static let roomBytes = Limits.nameBytes - 10
    static let aboutCharacters = 500
    static let periods = 48
    static let herdTimes = 24
    static let cloudFaults = Limits.scenarioCloudFaults
    /// Pods that one fault of the cloud names.
    static let cloudPods = Limits.scenarioCloudPods

    /// The rate of an event for one device: times an hour.
    static let perHour = 0.0...3_600.0
    /// The highest rate at the scenario's speed: times a real second.
    static let perRealSecond = 10.0
    /// The duration of an event: simulated time.
    static let lasting = Duration.milliseconds(100)...Duration.seconds(86_400)
    /// The latency of an answer: real time, up to the longest timeout of a client.
    static let answer = Duration.zero...Limits.longestTimeout
}

extension ScenarioReader {
    /// Reads a time of day: `"08:30"`, with or without quotes.
    mutating func timeOfDay(_ entry: Entry?) -> Scenario.TimeOfDay? {
        scalar(entry, #"a time of day from "00:00" to "23:59""#) { text, _ in Self.timeOfDay(text) }
    }

    mutating func name(_ entry: Entry?) -> String? {
        let limit = ScenarioLimits.nameCharacters
        return printable(entry, "1 to \(limit) printable characters") { text in
            // Check the bytes first, so that counting characters is bounded.
            text.utf8.count <= 4 * limit && text.count <= limit ? text : nil
        }
    }

    /// Reads the description of a scenario; line breaks become spaces.
    mutating func about(_ entry: Entry?) -> String? {
        let limit = ScenarioLimits.aboutCharacters
        return printable(entry, "1 to \(limit) printable characters") { text in
            let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return line.count <= limit ? line : nil
        }
    }

    static func timeOfDay(_ text: String) -> Scenario.TimeOfDay? {
        LocalTime(text).map { Scenario.TimeOfDay(secondOfDay: Int($0.minuteOfDay) * 60) }
    }
}
