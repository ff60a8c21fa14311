public import FleetProtocol
import Stepping

extension Weekdays {
    /// The days for people: `every day`, `Mon to Fri`, or one by one.
    public var words: String {
        switch self {
        case .all: "every day"
        case .working: "Mon to Fri"
        default: days.map(\.shortWord).joined(separator: ", ")
        }
    }
}

extension Weekday {
    /// Its first three letters: `Mon`.
    public var shortWord: String { name.prefix(1).uppercased() + name.dropFirst().prefix(2) }
}

extension SchedulePlan {
    /// What it does and when, for people: `off at 22:15 every day (Europe/Oslo)`.
    public var words: String { "\(change.words) at \(time) \(weekdays.words) (\(zone))" }
}

extension DeviceSchedule {
    /// A description for people: the change, its time and, while enabled, its next time in UTC.
    public var words: String { words(TimeText.iso8601) }

    func words(_ moment: (WallTime) -> String) -> String {
        let when = isEnabled ? ", next at \(moment(due))" : ", disabled"
        return "schedule \(id): \(plan.words)\(when)"
    }

    var json: JSONValue {
        .object([
            .init("id", .string(id.description)), .init("enabled", .bool(isEnabled)),
            .init("time", .string(plan.time.description)),
            .init("days", .array(plan.weekdays.days.map { .string($0.name) })),
            .init("timeZone", .string(plan.zone.text)), .init("state", .object(plan.change.members)),
            .init("createdAt", .string(TimeText.iso8601(createdAt))),
            .init("due", .string(TimeText.iso8601(due))),
        ])
    }
}
