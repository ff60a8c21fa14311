/// One of the settings of an air conditioner that are words: each word is the name of its case, as Sensibo
/// spells it.
public protocol ACSetting: CaseIterable, Hashable, Sendable {}

extension ACSetting {
    /// The case of that name, `cool`; nil when there is none.
    public init?(name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }

    /// Its name, `rangeFull`.
    public var name: String { "\(self)" }
}

/// What an air conditioner does when it runs.
public enum ACMode: UInt8, ACSetting {
    case cool, heat, fan, auto, dry
}

/// How hard an air conditioner blows.
public enum FanLevel: UInt8, ACSetting {
    case quiet, low, medium, high, auto
}

/// Where the flaps of an air conditioner are that turn its air up and down.
public enum Swing: UInt8, ACSetting {
    case stopped
    case fixedTop, fixedMiddleTop, fixedMiddle, fixedMiddleBottom, fixedBottom
    case rangeTop, rangeMiddle, rangeBottom, rangeFull
    case horizontal, both
}

/// Where the vanes of an air conditioner are that turn its air left and right.
public enum HorizontalSwing: UInt8, ACSetting {
    case stopped
    case fixedLeft, fixedCenterLeft, fixedCenter, fixedCenterRight, fixedRight, fixedLeftRight
    case rangeCenter, rangeFull, rangeLeft, rangeRight
    case horizontal, both
}

/// Whether the display of an air conditioner or a purifier is lit.
public enum Light: UInt8, ACSetting {
    case on, off, dim
}
