public import FleetProtocol
import Stepping

/// One message that is to leave now.
public struct LoadMessage: Equatable, Sendable {
    /// Which part of its request a message is.
    enum Part: UInt64, Sendable {
        /// The request itself.
        case command
        /// The same again, under the same id.
        case retry
        /// Its cancel.
        case cancel
    }

    /// Some parts of a request.
    struct Parts: Sendable {
        private var bits: UInt64 = 0

        /// Whether a part is among them.
        func contains(_ part: Part) -> Bool { bits >> part.rawValue & 1 == 1 }

        /// Adds a part; false when it was among them already.
        mutating func insert(_ part: Part) -> Bool {
            defer { bits |= 1 << part.rawValue }
            return !contains(part)
        }
    }

    /// Over which connection it leaves, counted from 0.
    public let connection: Int
    /// What is said.
    public let request: ClientRequest

    /// The number of its request.
    let number: UInt64
    let part: Part
}

extension UInt64 {
    /// The correlation of a part of a request; never 0, for requests are counted from 1.
    init(correlation number: UInt64, _ part: LoadMessage.Part) {
        self = number << 2 | part.rawValue
    }

    /// The request and the part that a correlation stands for; nil when it is none of ours.
    var correlated: (number: UInt64, part: LoadMessage.Part)? {
        LoadMessage.Part(rawValue: self & 3).map { (self >> 2, $0) }
    }
}
