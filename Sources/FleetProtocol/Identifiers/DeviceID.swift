/// The ID of a device: 8 characters of `[A-Za-z0-9]`, like the IDs of Sensibo's pods.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of characters in an ID.
    public static let length = 8

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// 1 in each byte.
    private static let each: UInt64 = 0x0101_0101_0101_0101
    /// 62⁴: the number of values of half an ID.
    private static let half: UInt64 = 14_776_336
    /// The eight characters, the first in the highest byte.
    private let characters: UInt64

    /// The characters as a number, the first in the highest byte.
    public var bits: UInt64 { characters }

    /// The ID with those characters; nil unless they are eight letters or digits.
    public init?(bits: UInt64) {
        let highest = Self.each << 7
        let isDigit = Self.marks(bits, in: UInt8(ascii: "0")...UInt8(ascii: "9"))
        let isLetter = Self.marks(bits | Self.each &* 0x20, in: UInt8(ascii: "a")...UInt8(ascii: "z"))
        guard bits & highest == 0, (isDigit | isLetter) & highest == highest else { return nil }
        characters = bits
    }

    /// Parses an ID; nil unless the text is eight letters or digits.
    public init?(_ text: some StringProtocol) {
        var characters: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            guard count < Self.length, byte.isLetterOrDigit else { return nil }
            characters = characters << 8 | UInt64(byte)
            count += 1
        }
        guard count == Self.length else { return nil }
        self.characters = characters
    }

    /// The ID of a device of a fleet, derived from the fleet's seed and the device's index in the whole
    /// fleet; unique for indices below 62⁸.
    ///
    /// A Feistel network over the two halves: each round adds to one half a function of the other, so every
    /// round can be inverted, and so can the whole.
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

    /// Returns the index, below 62⁸, of the device with this ID in a fleet with a seed; inverts the rounds.
    ///
    /// Every ID has an index in every fleet, so the caller must compare it with the number of devices.
    public func index(inFleetOf seed: UInt64) -> UInt64 { index(in: FleetKeys(seed: seed)) }

    /// Returns the same as ``index(inFleetOf:)``, with keys that were created before.
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

    /// Compares IDs alphabetically.
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.characters < right.characters }

    /// Returns the value of four digits of the alphabet, the lowest byte first; below 62⁴.
    private static func place(ofFour digits: UInt64) -> UInt64 {
        let (first, second) = (digits & 0xff, digits >> 8 & 0xff)
        return ((first &* 62 &+ second) &* 62 &+ (digits >> 16 & 0xff)) &* 62 &+ (digits >> 24 & 0xff)
    }

    /// Returns the highest bit of each byte whose character is in a range, computed in parallel. All bytes
    /// must be below 128. The other bits are undefined.
    private static func marks(_ characters: UInt64, in range: ClosedRange<UInt8>) -> UInt64 {
        // A sum above 127 sets the highest bit of its byte, without a carry.
        (characters &+ each &* UInt64(0x80 &- range.lowerBound))
            ^ (characters &+ each &* UInt64(0x7f &- range.upperBound))
    }

    /// Returns the digits of eight letters and digits, each in its character's byte, computed in parallel.
    private static func digits(of characters: UInt64) -> UInt64 {
        // A sum above 127 sets the highest bit of its byte, without a carry: characters are below `{`.
        let isLetter = (characters &+ Self.each &* UInt64(0x7f - UInt8(ascii: "9"))) >> 7 & Self.each
        let isSmall = (characters &+ Self.each &* UInt64(0x7f - UInt8(ascii: "Z"))) >> 7 & Self.each
        return characters &- Self.each &* UInt64(UInt8(ascii: "0")) &- isLetter &* 7 &- isSmall &* 6
    }
}

/// The keys that mix the IDs of a fleet's devices, computed from its seed once instead of for each ID.
public struct FleetKeys: Sendable {
    /// One key for each round; after four rounds, adjacent indices have unrelated IDs.
    let rounds: [4 of UInt64]

    /// The keys of a fleet with a seed.
    public init(seed: UInt64) {
        rounds = [4 of UInt64] { SeededGenerator.mixed(seed &+ UInt64($0)) }
    }
}

extension UInt64 {
    /// Exactly 16 digits, with leading zeros.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension Collection<UInt8> {
    /// Two digits for each byte.
    package var hexadecimal: String {
        reduce(into: "") { text, byte in
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
    }
}

extension Array<UInt8> {
    /// Parses a text of two digits for each byte; nil for any other text.
    package init?(hexadecimal text: String) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for byte in text.utf8 {
            guard let digit = Self.value(ofDigit: byte) else { return nil }
            if let first = high.take() { append(first << 4 | digit) } else { high = digit }
        }
    }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
