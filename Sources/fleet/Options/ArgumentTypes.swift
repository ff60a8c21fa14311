public import ArgumentParser
public import FleetProtocol
public import LoadCore
import Wording

extension ExpressibleByArgument where Self: ACSetting & RawRepresentable, RawValue: ExpressibleByArgument {
    /// The setting of that name.
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// The names, for help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension ACMode: ExpressibleByArgument {}
extension FanLevel: ExpressibleByArgument {}
extension Swing: ExpressibleByArgument {}
extension HorizontalSwing: ExpressibleByArgument {}
extension Light: ExpressibleByArgument {}
extension TemperatureUnit: ExpressibleByArgument {}
extension ClimateReact.Measure: ExpressibleByArgument {}

extension Fault: ExpressibleByArgument {
    /// The fault of that name.
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// The name, for help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension ACStateChange {
    /// The change that words spell, comma after comma: `on`, `off`, a mode, whole degrees, `fan:low`.
    ///
    /// - Throws: `ValidationError` that names the word and what is allowed.
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
                        + "with commas between")
            }
        }
        return change
    }
}

extension ArgumentHelp {
    /// The help of an argument that selects devices.
    static let devices = ArgumentHelp(
        "Which devices: IDs, names, patterns, site:NAME or all; see `fleet --help`.", valueName: "selector")

    /// The help of an argument or option that selects one device.
    static func device(_ purpose: String) -> ArgumentHelp {
        ArgumentHelp("\(purpose): its ID, its name, or a unique part of its name.", valueName: "device")
    }
}

extension Arrivals: ExpressibleByArgument {}

extension Duration {
    /// The duration of a command line.
    ///
    /// - Parameters:
    ///   - limit: The longest that is allowed.
    ///   - subject: What lasts so long, with its verb, for the words of the error: `a timeout is`.
    /// - Throws: `ValidationError` unless it is above zero and at most the limit.
    static func parse(_ text: String, upTo limit: Duration, _ subject: String) throws -> Duration {
        let allowed = "\(subject) above 0s and at most \(DurationText.text(limit))"
        do {
            let duration = try DurationText.parse(text)
            guard duration > .zero, duration <= limit else { throw ValidationError(allowed) }
            return duration
        } catch let error as DurationText.Invalid {
            throw ValidationError("\(error); \(allowed)")
        }
    }
}

extension Email {
    /// The email address of a command line.
    ///
    /// - Throws: `ValidationError` unless it looks like one.
    static func parse(_ text: String) throws -> Email {
        guard let email = Email(text) else {
            throw ValidationError(
                "'\(SafeText.of(text))' is no email address, such as demo@sensibus.local")
        }
        return email
    }
}

/// A key's scope as a command line names it.
enum KeyScopeArgument: String, CaseIterable, ExpressibleByArgument {
    case read, `switch`

    /// What may be done in it, for the help text.
    var defaultValueDescription: String {
        switch self {
        case .read: "reads"
        case .switch: "switches devices too, runs sequences and writes in the logbook"
        }
    }

    /// The scope.
    var scope: APIKey.Scope {
        switch self {
        case .read: .read
        case .switch: .switch
        }
    }
}

extension RequestID {
    /// The request id of a command line.
    ///
    /// - Throws: `ValidationError` unless it is a UUID of version 7.
    static func parse(_ text: String) throws -> RequestID {
        guard let id = RequestID(text), id.isVersion7 else {
            throw ValidationError(
                "'\(SafeText.of(text))' is no request id: it is a UUID of version 7, such as "
                    + "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07")
        }
        return id
    }
}

/// A role as a command line names it.
enum RoleArgument: String, CaseIterable, ExpressibleByArgument {
    case owner, member, viewer

    /// What may be done in it, for the help text.
    var defaultValueDescription: String {
        switch self {
        case .owner: "does everything"
        case .member: "switches devices"
        case .viewer: "looks on"
        }
    }

    /// The role.
    var role: Session.Role {
        switch self {
        case .owner: .owner
        case .member: .member
        case .viewer: .viewer
        }
    }
}

extension Weekdays {
    /// The days that words spell, comma after comma: `mon`, `monday`, or from one to another, `mon-fri`.
    ///
    /// - Throws: `ValidationError` that names the word and what is allowed.
    static func parse(_ text: String) throws -> Weekdays {
        var days = Weekdays()
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(Weekday.init(word:))
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends.last ?? nil else {
                throw ValidationError(
                    "'\(part)' is no day of the week: write mon, tue, wed, thu, fri, sat, sun, or mon-fri, "
                        + "with commas between")
            }
            // Over Sunday, too: from Friday to Monday are four.
            let count = (Int(last.rawValue) - Int(first.rawValue) + 7) % 7
            let week = Weekday.allCases + Weekday.allCases
            days.formUnion(Weekdays(week[Int(first.rawValue)...Int(first.rawValue) + count]))
        }
        return days
    }
}

extension Weekday {
    /// The day of that name, or of its first three letters, in lower case.
    fileprivate init?(word: Substring) {
        guard let day = Self.allCases.first(where: { $0.name == word || $0.name.prefix(3) == word }) else {
            return nil
        }
        self = day
    }
}

extension LocalTime {
    /// The time that a text spells.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> LocalTime {
        guard let time = LocalTime(text) else {
            throw ValidationError("'\(text)' is no time of day: write 00:00 to 23:59")
        }
        return time
    }
}

extension TimeZoneName {
    /// The zone that a text names.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> TimeZoneName {
        guard let zone = TimeZoneName(text) else {
            throw ValidationError("'\(text)' is no time zone: write UTC, or a name such as Europe/Oslo")
        }
        return zone
    }
}

extension ScheduleID {
    /// The id that a text spells.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> ScheduleID {
        guard let id = ScheduleID(text) else {
            throw ValidationError("'\(text)' is no id of a schedule: `fleet schedule DEVICE` shows them")
        }
        return id
    }
}
