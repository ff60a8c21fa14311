import DeviceCore
import Stepping
import Wording

extension ScenarioReader {
    /// How often something happens: a number, or periods of the day with a number each.
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

    /// A part of the day: `from` and `to` of a mapping, of which neither may be missing.
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

    /// The end of a period, which may be the day's.
    private mutating func endOfPeriod(_ entry: Entry?) -> (time: Scenario.TimeOfDay, isMidnight: Bool)? {
        scalar(entry, #"a time of day from "00:00" to "24:00""#) { text, _ in
            text == "24:00" ? (.midnight, true) : Self.timeOfDay(text).map { ($0, false) }
        }
    }
}
