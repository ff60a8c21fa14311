import FleetTime

/// A device's name for machines: 8 characters of `[A-Za-z0-9]`, as Sensibo's pods have.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How many characters an id has.
    public static let length = 8

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// 62⁴: how many texts half an id can be.
    private static let half: UInt64 = 14_776_336
    /// The eight characters, the first in the highest byte.
    private let characters: UInt64

    /// The characters as a number, the first in the highest byte.
    public var bits: UInt64 { characters }

    /// The id of those characters; nil when they are not eight letters or digits.
    public init?(bits: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            guard Self.isLetterOrDigit(UInt8(truncatingIfNeeded: bits >> shift)) else { return nil }
        }
        characters = bits
    }

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
    ///
    /// A Feistel network over the two halves: each round adds to one half what follows from the other, so
    /// every round, and with it the whole, can be undone.
    public init(fleetSeed seed: UInt64, index: UInt64) {
        let keys = FleetKeys(seed: seed)
        var (left, right) = (index / Self.half % Self.half, index % Self.half)
        for round in keys.rounds.indices {
            let key = SeededGenerator.mixed(keys.rounds[round] ^ right)
            (left, right) = (right, (left + key % Self.half) % Self.half)
        }
        var place = left * Self.half + right
        var characters: UInt64 = 0
        for _ in 0..<Self.length {
            characters = characters << 8 | UInt64(Self.alphabet[Int(place % 62)])
            place /= 62
        }
        self.characters = characters
    }

    /// The index, below 62⁸, of the device that has this id in a fleet of that seed: the rounds undone.
    ///
    /// Every id has one in every fleet: whoever looks for a device sees whether there are as many.
    public func index(inFleetOf seed: UInt64) -> UInt64 { index(in: FleetKeys(seed: seed)) }

    /// As ``index(inFleetOf:)`` does, with keys that were made before.
    public func index(in keys: FleetKeys) -> UInt64 {
        let digits = Self.digits(of: characters)
        var left = Self.place(ofFour: digits)
        var right = Self.place(ofFour: digits >> 32)
        for round in keys.rounds.indices.reversed() {
            let key = SeededGenerator.mixed(keys.rounds[round] ^ left)
            let sum = right &+ Self.half &- key % Self.half
            (left, right) = (sum < Self.half ? sum : sum &- Self.half, left)
        }
        return left * Self.half + right
    }

    /// The eight characters.
    public var description: String {
        let shifts = stride(from: UInt64(8 * (Self.length - 1)), through: 0, by: -8)
        return String(decoding: shifts.map { UInt8(truncatingIfNeeded: characters >> $0) }, as: UTF8.self)
    }

    /// Appends the eight characters.
    public func append(to output: inout [UInt8]) {
        for shift in stride(from: UInt64(8 * (Self.length - 1)), through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: characters >> shift))
        }
    }

    /// Alphabetical order.
    public static func < (left: DeviceID, right: DeviceID) -> Bool {
        left.characters < right.characters
    }

    /// What four digits of the alphabet spell, the lowest byte first; below 62⁴.
    private static func place(ofFour digits: UInt64) -> UInt64 {
        let (first, second) = (digits & 0xff, digits >> 8 & 0xff)
        return ((first &* 62 &+ second) &* 62 &+ (digits >> 16 & 0xff)) &* 62 &+ (digits >> 24 & 0xff)
    }

    /// The places of eight letters and digits in the alphabet, each in its character's byte: all at once.
    private static func digits(of characters: UInt64) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        // A sum beyond 127 sets the upmost bit of its byte, and reaches no other: characters are below `{`.
        let isLetter = (characters &+ each &* UInt64(0x7f - UInt8(ascii: "9"))) >> 7 & each
        let isSmall = (characters &+ each &* UInt64(0x7f - UInt8(ascii: "Z"))) >> 7 & each
        return characters &- each &* UInt64(UInt8(ascii: "0")) &- isLetter &* 7 &- isSmall &* 6
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

/// What the ids of a fleet's devices are mixed with: made of its seed once, and not for each id.
public struct FleetKeys: Sendable {
    /// One for each round that mixes the halves; after four, neighbouring indices have nothing in common.
    let rounds: [4 of UInt64]

    /// The keys of the fleet of that seed.
    public init(seed: UInt64) {
        rounds = [4 of UInt64] { SeededGenerator.mixed(seed &+ UInt64($0)) }
    }
}

extension UInt64 {
    /// Exactly 16 digits, leading zeros kept.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension Collection<UInt8> {
    /// Two digits a byte.
    package var hexadecimal: String {
        reduce(into: "") { text, byte in
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
    }
}

extension Array<UInt8> {
    /// The bytes of a text of two digits a byte; nil when it is anything else.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8).map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(UInt8(high * 16 + low))
        }
    }
}
