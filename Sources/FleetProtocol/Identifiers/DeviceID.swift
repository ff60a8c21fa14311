import Stepping

/// A device's name for machines: 8 characters of `[A-Za-z0-9]`, as Sensibo's pods have.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How many characters an id has.
    public static let length = 8

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// 62⁸: how many ids there are.
    private static let population: UInt64 = 218_340_105_584_896
    /// Odd and no multiple of 31, so multiplying by it modulo 62⁸ never maps two indices to one id.
    private static let stride: UInt64 = 135_207_991_876_457

    /// The eight characters, the first in the highest byte.
    private let characters: UInt64

    /// The id that a text spells; nil when it is not eight letters or digits.
    public init?(_ text: some StringProtocol) {
        var characters: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            guard count < Self.length, Self.isLetterOrDigit(byte) else { return nil }
            characters = characters << 8 | UInt64(byte)
            count += 1
        }
        guard count == Self.length else { return nil }
        self.characters = characters
    }

    /// The id of one device of a fleet: it follows from the fleet's seed and the device's index
    /// over the whole fleet, and no two indices below 62⁸ share one.
    public init(fleetSeed seed: UInt64, index: UInt64) {
        let start = SeededGenerator.mixed(seed) % Self.population
        let (high, low) = (index % Self.population).multipliedFullWidth(by: Self.stride)
        var place = (Self.population.dividingFullWidth((high, low)).remainder + start) % Self.population
        var characters: UInt64 = 0
        for _ in 0..<Self.length {
            characters = characters << 8 | UInt64(Self.alphabet[Int(place % 62)])
            place /= 62
        }
        self.characters = characters
    }

    /// The eight characters.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.length) { buffer in
            for index in 0..<Self.length {
                buffer[index] = UInt8(truncatingIfNeeded: characters >> UInt64(8 * (Self.length - 1 - index)))
            }
            return Self.length
        }
    }

    /// Alphabetical order.
    public static func < (left: DeviceID, right: DeviceID) -> Bool {
        left.characters < right.characters
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
