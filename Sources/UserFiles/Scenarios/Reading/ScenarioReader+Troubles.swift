import DeviceCore
import FleetProtocol
import UserText

extension ScenarioReader {
    private static let latencies = "a duration, {low, high}, or {median, p99}"

    mutating func network(_ entry: Entry?) -> Scenario.Network? {
        guard let fields = fields(of: entry, ["drops-per-hour", "mean-time-without"]) else { return nil }
        let usual = Scenario.Network()
        let network = Scenario.Network(
            drops: rate(fields["drops-per-hour"]) ?? usual.drops,
            meanTimeWithout: duration(fields["mean-time-without"], in: ScenarioLimits.lasting)
                ?? usual.meanTimeWithout)
        checkTime(network.drops, network.meanTimeWithout, fields["mean-time-without"] ?? entry)
        return network
    }

    mutating func hangs(_ entry: Entry?) -> Scenario.Hangs? {
        guard let fields = fields(of: entry, ["per-hour", "lasting"]) else { return nil }
        let usual = Scenario.Hangs()
        let hangs = Scenario.Hangs(
            rate: rate(fields["per-hour"]) ?? usual.rate,
            lasting: duration(fields["lasting"], in: ScenarioLimits.lasting) ?? usual.lasting)
        checkTime(hangs.rate, hangs.lasting, fields["lasting"] ?? entry)
        return hangs
    }

    mutating func reboots(_ entry: Entry?) -> Scenario.Reboots? {
        guard let fields = fields(of: entry, ["per-hour", "lasting", "memory-lost"]) else { return nil }
        let usual = Scenario.Reboots()
        let reboots = Scenario.Reboots(
            rate: rate(fields["per-hour"]) ?? usual.rate,
            lasting: duration(fields["lasting"], in: ScenarioLimits.lasting) ?? usual.lasting,
            memoryLoss: probability(fields["memory-lost"]) ?? usual.memoryLoss)
        checkTime(reboots.rate, reboots.lasting, fields["lasting"] ?? entry)
        return reboots
    }

    mutating func herd(_ entry: Entry?) -> Scenario.Herd? {
        guard let entry, let fields = fields(of: entry, ["at", "part", "away"]) else { return nil }
        let part =
            fields["part"] == nil ? 1 : number(fields["part"], in: 0.001...1, "the fraction of all devices")
        let lasting =
            fields["away"] == nil
            ? .seconds(30) : duration(fields["away"], in: ScenarioLimits.lasting)
        guard fields["at"] != nil else {
            findings.add(
                entry.place, found: "a herd without times", allowed: #"at: a list of times, such as "09:00""#)
            return nil
        }
        let entries = list(fields["at"], upTo: ScenarioLimits.herdTimes, "times of day") ?? []
        let times = entries.compactMap { timeOfDay($0) }
        guard let part, let lasting, !times.isEmpty, times.count == entries.count else { return nil }
        let herd = Scenario.Herd(times: times, part: part, lasting: lasting)
        let shortest = times.map(herd.secondsUntilNext(after:)).min() ?? 0
        guard Set(times).count == times.count, lasting < .seconds(shortest) else {
            refuse(fields["away"] ?? entry, "less than the time to the next disconnect")
            return nil
        }
        return herd
    }

    mutating func latency(_ entry: Entry?) -> Scenario.Latency? {
        guard let entry else { return nil }
        switch entry.content {
        case .scalar: return duration(entry, in: ScenarioLimits.answer).map(Scenario.Latency.fixed)
        case .list:
            refuse(entry, Self.latencies)
            return nil
        case .mapping(let pairs):
            // The unknown key is already a problem.
            guard let fields = fields(of: entry, ["low", "high", "median", "p99"]),
                fields.count == pairs.count
            else { return nil }
            return latency(entry, fields)
        }
    }

    private mutating func latency(_ entry: Entry, _ fields: [String: Entry]) -> Scenario.Latency? {
        switch Set(fields.keys) {
        case ["low", "high"]:
            guard let (low, high) = pair(fields["low"], fields["high"], from: .zero) else { return nil }
            return .uniform(low: low, high: high)
        case ["median", "p99"]:
            // The logarithm must be defined.
            guard let (median, p99) = pair(fields["median"], fields["p99"], from: .microseconds(100)) else {
                return nil
            }
            return .logNormal(median: median, p99: p99)
        default:
            refuse(entry, Self.latencies)
            return nil
        }
    }

    private mutating func pair(
        _ first: Entry?, _ second: Entry?, from shortest: Duration
    ) -> (Duration, Duration)? {
        let range = shortest...ScenarioLimits.answer.upperBound
        let low = duration(first, in: range)
        let high = duration(second, in: range)
        guard let low, let high else { return nil }
        if low > high, let second {
            refuse(second, "\(DurationText.text(low)) or more: it is the larger of the two")
            return nil
        }
        return (low, high)
    }

    /// Checks that an event of a device usually ends before the next.
    private mutating func checkTime(_ rate: Scenario.Rate, _ lasting: Duration, _ entry: Entry?) {
        let hour = Duration.seconds(3_600)
        let peak = rate.peakPerHour
        guard let entry, Double(lasting.wholeNanoseconds) * peak >= Double(hour.wholeNanoseconds) else {
            return
        }
        findings.add(
            entry.place,
            found: "\(DurationText.text(lasting)) each time, \(NumberText.of(peak)) times an hour",
            allowed: "less than an hour in total within an hour")
    }
}
