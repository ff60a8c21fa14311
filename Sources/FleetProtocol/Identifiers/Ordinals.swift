public import Stepping

/// A number whose only meaning is its order.
public protocol Ordinal: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number itself; 0 stands before the first.
    var value: UInt64 { get }
    /// The ordinal of that number.
    init(_ value: UInt64)
}

extension Ordinal {
    /// Before the first.
    public static var zero: Self { Self(0) }

    /// The one that follows.
    public var next: Self { Self(value + 1) }

    /// Whether the first comes earlier.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// The number in digits.
    public var description: String { String(value) }
}

/// How often a device's state has really changed, within one incarnation.
public struct Version: Ordinal {
    /// The count of changes.
    public let value: UInt64
    /// The version of that count.
    public init(_ value: UInt64) { self.value = value }
}

/// The number of a command to one device, within one incarnation.
public struct CommandSequence: Ordinal {
    /// The number.
    public let value: UInt64
    /// The sequence of that number.
    public init(_ value: UInt64) { self.value = value }
}

/// A controller's start number: devices refuse commands of a lower one.
public struct Epoch: Ordinal {
    /// The number.
    public let value: UInt64
    /// The epoch of that number.
    public init(_ value: UInt64) { self.value = value }

    /// Whether a controller can have started with this number: epochs are seconds since 1970, or one more
    /// than an earlier epoch.
    ///
    /// - Parameter known: The judge's own epoch. A fleet may have got far ahead of the clock, and goes on
    ///   from there.
    public func isPlausible(at now: WallTime, knowing known: Epoch) -> Bool {
        let clock = UInt64(max(0, now.unixMilliseconds)) / 1_000
        return value <= max(clock, known.value) + UInt64(Limits.epochAhead.components.seconds)
    }
}

/// A node's number for one change of one of its devices.
public struct ChangeNumber: Ordinal {
    /// The number.
    public let value: UInt64
    /// The change of that number.
    public init(_ value: UInt64) { self.value = value }
}

/// The number of an update on one account's stream, within one epoch.
public struct StreamSequence: Ordinal {
    /// The number.
    public let value: UInt64
    /// The update of that number.
    public init(_ value: UInt64) { self.value = value }
}

/// A node within one life of a controller.
public struct NodeIndex: Ordinal {
    /// The index, below 2³².
    public let value: UInt64
    /// The node of that index.
    public init(_ value: UInt64) { self.value = value }
}
