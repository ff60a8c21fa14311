/// What can be made to go wrong with a device.
public enum Fault: UInt8, CaseIterable, Hashable, Sendable {
    /// It loses its connection.
    case offline
    /// It takes commands and does not carry them out.
    case hang
    /// A hand remote switches it.
    case flip
    /// It forgets everything, and begins a new life as it left the factory.
    case reset
    /// It carries out commands late.
    case slow
    /// The node that hosts it dies as one that is killed.
    case crash
    /// It starts again: it is away for a while, and has its memory when it is back.
    case reboot

    /// The fault of that name; nil when there is none.
    public init?(name: String) {
        guard let fault = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = fault
    }

    /// Its name, in lower case.
    public var name: String { "\(self)" }

    /// Whether it lasts; a flip, a reset and a crash are over at once.
    public var hasDuration: Bool {
        switch self {
        case .offline, .hang, .slow, .reboot: true
        case .flip, .reset, .crash: false
        }
    }

    /// Whether it says how much later each command is carried out.
    public var hasDelay: Bool { self == .slow }
}
