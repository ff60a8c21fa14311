/// A condition on a device, an event or a fleet. ``parse(_:)`` creates it from text.
/// ``holds(of:isElsewhere:)`` evaluates it on a ``ConditionSubject``.
public indirect enum Condition: Sendable, Equatable {
    /// A text that selects the device: `all`, a pattern, or a part of its name or ID.
    case text(DeviceFilter)
    /// A certain device, optionally with the state that it must have.
    case device(DeviceName, StateWord?)
    /// The site of the device: a name or a pattern, in lower case.
    case site(String)
    case node(String)
    case model(String)
    case state(StateWord)
    /// A request for the device has just ended with this outcome, given by its name.
    case outcome(String)
    /// A reading compared with a constant, in tenths.
    case reading(Reading, Comparison, tenths: Int)
    case not(Condition)
    case and(Condition, Condition)
    case or(Condition, Condition)

    /// A device's whole name, in any case, or its ID.
    public struct DeviceName: Hashable, Sendable {
        public let text: String
        let folded: String

        public init(_ text: String) {
            self.text = text
            folded = SafeText.folded(text)
        }
    }

    public enum StateWord: String, CaseIterable, Hashable, Sendable {
        case on
        case off
        case online
        case offline
        /// The controller has received nothing from the device's node for a second.
        case stale
        /// The controller has received nothing from the device's node since it started.
        case unknown

        /// Whether the word describes the air conditioner, not the connection.
        var isPower: Bool { self == .on || self == .off }
    }

    public enum Reading: String, CaseIterable, Hashable, Sendable {
        /// The room's temperature, °C.
        case temperature
        /// The perceived temperature, °C.
        case feelsLike
        /// The relative humidity, percent.
        case humidity
        /// The target temperature of the air conditioner, °C.
        case target
    }

    public enum Comparison: String, CaseIterable, Hashable, Sendable {
        case less = "<"
        case atMost = "<="
        case more = ">"
        case atLeast = ">="
        case equal = "="
        case other = "!="

        /// Returns whether the comparison holds for two numbers, in this order.
        func holds(_ left: Int, _ right: Int) -> Bool {
            switch self {
            case .less: left < right
            case .atMost: left <= right
            case .more: left > right
            case .atLeast: left >= right
            case .equal: left == right
            case .other: left != right
            }
        }
    }

    static let outcomes = [
        "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined", "unknown",
    ]

    /// The conditions of which it consists, without the operators.
    private var terms: [Condition] {
        switch self {
        case .device, .text, .site, .node, .model, .state, .outcome, .reading: [self]
        case .not(let inner): inner.terms
        case .and(let left, let right), .or(let left, let right): left.terms + right.terms
        }
    }

    /// The devices of the terms that are about the state of a device, whichever device is evaluated.
    package var namedDevices: [DeviceName] {
        terms.compactMap { if case .device(let name, .some) = $0 { name } else { nil } }
    }

    /// Whether the result depends on the evaluated device, and not only on the devices that it names.
    package var hasSubject: Bool { namedDevices.count < terms.count }
}

extension Condition: CustomStringConvertible {
    /// The precedence of the operators, lowest first.
    private enum Binding: Int {
        case alternative, conjunction, single
    }

    /// The text with only the necessary parentheses: ``parse(_:)`` returns an equal condition.
    public var description: String {
        switch self {
        case .text(let filter): Self.quoted(filter.text)
        case .device(let name, let word):
            "device \(Self.word(name.text))" + (word.map { " \($0.rawValue)" } ?? "")
        case .site(let name): "site \(Self.word(name))"
        case .node(let name): "node \(Self.word(name))"
        case .model(let name): "model \(name)"
        case .state(let word): "\(word.isPower ? "power" : "presence") \(word.rawValue)"
        case .outcome(let name): "outcome \(name)"
        case .reading(let reading, let comparison, let tenths):
            "\(reading.rawValue) \(comparison.rawValue) \(Self.number(ofTenths: tenths))"
        case .not(let inner): "not \(inner.description(within: .single))"
        case .and(let left, let right):
            "\(left.description(within: .conjunction)) and \(right.description(within: .single))"
        case .or(let left, let right):
            "\(left.description(within: .alternative)) or \(right.description(within: .conjunction))"
        }
    }

    private var binding: Binding {
        switch self {
        case .or: .alternative
        case .and: .conjunction
        case .text, .device, .site, .node, .model, .state, .outcome, .reading, .not: .single
        }
    }

    /// Returns the text for a place with that precedence, in parentheses if the condition binds less tightly.
    private func description(within binding: Binding) -> String {
        self.binding.rawValue < binding.rawValue ? "(\(description))" : description
    }

    /// Returns the name unchanged if it is a single word, and in quotation marks otherwise.
    private static func word(_ name: String) -> String {
        let isWord = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        return isWord ? name : quoted(name)
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }

    private static func number(ofTenths tenths: Int) -> String {
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest)")
    }
}

/// An error in the text of a condition: the column, and the allowed input there.
public struct ConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The column of the first character that cannot be parsed, from 1.
    public let column: Int
    public let problem: String

    public var description: String { "column \(column): \(problem)" }
}
