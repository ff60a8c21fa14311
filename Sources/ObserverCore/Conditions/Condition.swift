public import Wording

/// What a person or a script wants to hold: of a device, of an event, or of a fleet.
///
/// Made of text by ``parse(_:)``. What it means is looked up in a ``ConditionSubject``.
public indirect enum Condition: Sendable, Equatable {
    /// A text that selects the device: `all`, a pattern, or a part of its name or ID.
    case text(DeviceFilter)
    /// A certain device, and what it is, if that matters.
    case device(DeviceName, StateWord?)
    /// The site of the device: a name or a pattern, in lower case.
    case site(String)
    /// The node it lives on.
    case node(String)
    /// What it is sold as.
    case model(String)
    /// Whether it runs, and whether it is there.
    case state(StateWord)
    /// A request for it has just ended in that way; the outcome's name.
    case outcome(String)
    /// A number that it is at, compared with another.
    case reading(Reading, Comparison, tenths: Int)
    /// Not that.
    case not(Condition)
    /// Both.
    case and(Condition, Condition)
    /// One of them, or both.
    case or(Condition, Condition)

    /// A device's whole name, whatever its case, or its id.
    public struct DeviceName: Hashable, Sendable {
        /// As it was written.
        public let text: String
        /// The name in lower case.
        let lowered: String

        /// The device of that name or id.
        public init(_ text: String) {
            self.text = text
            lowered = text.lowercased()
        }
    }

    /// What a device can be.
    public enum StateWord: String, CaseIterable, Hashable, Sendable {
        /// It runs.
        case on
        /// It does not run.
        case off
        /// It can be reached.
        case online
        /// It is not there.
        case offline
        /// Nothing was heard from its node for a second.
        case stale
        /// Its node was not heard of since the controller started.
        case unknown

        /// Whether it says something of the air conditioner, not of the connection.
        var isPower: Bool { self == .on || self == .off }
    }

    /// The numbers that can be compared.
    public enum Reading: String, CaseIterable, Hashable, Sendable {
        /// The room's temperature, °C.
        case temperature
        /// How warm it feels, °C.
        case feelsLike
        /// The relative humidity, percent.
        case humidity
        /// What the air conditioner aims for, °C.
        case target
    }

    /// How two numbers are compared.
    public enum Comparison: String, CaseIterable, Hashable, Sendable {
        case less = "<"
        case atMost = "<="
        case more = ">"
        case atLeast = ">="
        case equal = "="
        case other = "!="

        /// Whether it holds of two numbers, in their order.
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

    /// What an `outcome` can be.
    static let outcomes = [
        "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined", "unknown",
    ]

    /// All the devices that it names and says something of.
    var namedDevices: [DeviceName] {
        switch self {
        case .device(let name, .some): [name]
        case .device, .text, .site, .node, .model, .state, .outcome, .reading: []
        case .not(let inner): inner.namedDevices
        case .and(let left, let right), .or(let left, let right): left.namedDevices + right.namedDevices
        }
    }

    /// Whether it says something of whichever device is looked at, and not only of those that it names.
    var hasSubject: Bool {
        switch self {
        case .device(_, .some): false
        case .device, .text, .site, .node, .model, .state, .outcome, .reading: true
        case .not(let inner): inner.hasSubject
        case .and(let left, let right), .or(let left, let right): left.hasSubject || right.hasSubject
        }
    }
}

extension Condition: CustomStringConvertible {
    /// How tightly the parts of a condition hold together.
    private enum Binding: Int {
        case alternative, conjunction, single
    }

    /// Its text, with no more brackets than it needs: ``parse(_:)`` makes this condition of it.
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

    /// Its text where something stands that holds together as tightly at least.
    private func description(within binding: Binding) -> String {
        self.binding.rawValue < binding.rawValue ? "(\(description))" : description
    }

    /// A name as it is where it is one word, and in quotation marks otherwise.
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

/// A text that is no condition: where, and what is allowed there.
public struct ConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The column of the first character that is not understood, from 1.
    public let column: Int
    /// What is wrong there, and what is allowed, in words.
    public let problem: String

    /// Where, what is wrong, and what is allowed.
    public var description: String { "column \(column): \(problem)" }
}
