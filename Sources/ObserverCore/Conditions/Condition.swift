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
