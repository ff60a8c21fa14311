public import ArgumentParser
public import FleetProtocol
public import LoadCore
public import UserFiles
import UserText

public protocol NamedArgument: ExpressibleByArgument, CaseIterable {
    var name: String { get }
}

extension NamedArgument where Self: RawRepresentable, RawValue: ExpressibleByArgument {
    public init?(argument: String) {
        guard let value = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = value
    }

    /// The allowed names, shown in help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension ACMode: NamedArgument {}
extension FanLevel: NamedArgument {}
extension Swing: NamedArgument {}
extension HorizontalSwing: NamedArgument {}
extension Light: NamedArgument {}
extension TemperatureUnit: NamedArgument {}
extension ClimateReact.Measure: NamedArgument {}

extension ReadyMadeScenario: ExpressibleByArgument {}

extension PeerRole: NamedArgument {}
extension Fault: NamedArgument {}
extension CloudFault.PodKey: NamedArgument {}

extension ACStateChange {
    /// Parses a comma-separated state change: `on`, `off`, a mode, whole degrees or `fan:low`.
    static func parse(_ text: String) throws -> ACStateChange {
        let modes = ACMode.allValueStrings.joined(separator: ", ")
        var change = ACStateChange()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let word = String(part)
            if word == "on" || word == "off" {
                change.isOn = word == "on"
            } else if let mode = ACMode(name: word) {
                change.mode = mode
            } else if let degrees = Int8(word) {
                change.targetTemperature = degrees
            } else if word.hasPrefix("fan:"), let level = FanLevel(name: String(word.dropFirst(4))) {
                change.fanLevel = level
            } else {
                throw ValidationError(
                    "'\(word)' sets nothing: write on, off, a mode (\(modes)), whole degrees, or fan:LEVEL, "
                        + "separated by commas")
            }
        }
        return change
    }
}

extension ArgumentHelp {
    /// The help of an argument, with the placeholder of its value.
    static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: name) }

    static let devices = value(
        "selector", "Devices: IDs, names, patterns, site:NAME, conditions or all; see `fleet --help`.")

    static func device(_ purpose: String) -> ArgumentHelp {
        value("device", "\(purpose): its ID, its name, or a unique part of its name.")
    }
}

extension Arrivals: ExpressibleByArgument {}

extension Duration {
    /// Parses a duration argument, such as `30s`. The shortest is nil for any above zero; `subject` begins
    /// the error message, such as `a timeout is`.
    static func parse(
        _ text: String, from shortest: Duration? = nil, upTo limit: Duration, _ subject: String
    ) throws -> Duration {
        let least = shortest.map { "at least \(DurationText.text($0))" } ?? "above 0s"
        let allowed = "\(subject) \(least) and at most \(DurationText.text(limit))"
        do {
            let duration = try DurationText.parse(text)
            try require(duration > .zero && (duration >= shortest ?? .zero) && duration <= limit, allowed)
            return duration
        } catch let error as DurationText.Invalid {
            throw ValidationError("\(error); \(allowed)")
        }
    }
}

extension Email {
    static func parse(_ text: String) throws -> Email {
        try Email(text).orInvalid("'\(SafeText.of(text))' is not an email address, such as a@b.no")
    }
}

enum KeyScopeArgument: String, CaseIterable, ExpressibleByArgument {
    case read, `switch`

    var defaultValueDescription: String {
        switch self {
        case .read: "reads"
        case .switch: "also switches devices, runs command queues, sets labels and writes posts"
        }
    }

    var scope: APIKey.Scope {
        switch self {
        case .read: .read
        case .switch: .switch
        }
    }
}

extension RequestID {
    /// Parses a request ID argument: a UUID of version 7.
    static func parse(_ text: String) throws -> RequestID {
        guard let id = RequestID(text), id.isVersion7 else {
            throw ValidationError(
                "'\(SafeText.of(text))' is not a request ID: it is a UUID of version 7, such as "
                    + "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07")
        }
        return id
    }
}

enum RoleArgument: String, CaseIterable, ExpressibleByArgument {
    case owner, member, viewer

    /// The permissions that the argument grants, shown in the help text.
    var defaultValueDescription: String {
        switch self {
        case .owner: "full access"
        case .member: "switches devices"
        case .viewer: "read-only"
        }
    }

    var role: Session.Role {
        switch self {
        case .owner: .owner
        case .member: .member
        case .viewer: .viewer
        }
    }
}

extension Weekdays {
    /// Parses comma-separated days and ranges of days: `mon`, `monday` or `mon-fri`.
    static func parse(_ text: String) throws -> Weekdays {
        var days = Weekdays()
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(Weekday.init(word:))
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends.last ?? nil else {
                throw ValidationError(
                    "'\(part)' is not a day of the week: write mon, tue, wed, thu, fri, sat, sun, mon-fri, "
                        + "separated by commas")
            }
            // A range may wrap around the end of the week: `fri-mon` has four days.
            let count = (Int(last.rawValue) - Int(first.rawValue) + 7) % 7
            let week = Weekday.allCases + Weekday.allCases
            days.formUnion(Weekdays(week[Int(first.rawValue)...Int(first.rawValue) + count]))
        }
        return days
    }
}

extension Weekday {
    fileprivate init?(word: Substring) {
        guard let day = Self.allCases.first(where: { $0.name == word || $0.name.prefix(3) == word }) else {
            return nil
        }
        self = day
    }
}

extension LocalTime {
    /// Parses a time of day from 00:00 to 23:59.
    static func parse(_ text: String) throws -> LocalTime {
        try LocalTime(text).orInvalid("'\(text)' is not a time of day: write 00:00 to 23:59")
    }
}

extension TimeZoneName {
    /// Parses a time zone name, such as `Europe/Oslo`.
    static func parse(_ text: String) throws -> TimeZoneName {
        try TimeZoneName(text).orInvalid(
            "'\(text)' is not a time zone: write UTC, or a name such as Europe/Oslo")
    }
}

extension ScheduleID {
    static func parse(_ text: String) throws -> ScheduleID {
        try ScheduleID(text).orInvalid("'\(text)' is not a schedule ID: see `fleet schedule DEVICE`")
    }
}
