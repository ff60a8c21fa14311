import Stepping

/// A site's name for machines: 10 characters of `[A-Za-z0-9]`, as Sensibo's locations have.
///
/// It follows from the account and from the name that the site had first, and stays when it is called
/// otherwise.
public struct SiteID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How many characters an id has.
    public static let length = 10

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let base = UInt64(62)
    /// 62¹⁰: how many ids there are.
    private static let count: UInt64 = 839_299_365_868_340_224

    /// The characters as digits to the base of 62, the first the lowest.
    private let place: UInt64

    /// The id that a text spells; nil when it is not ten letters or digits.
    public init?(_ text: some StringProtocol) {
        var (place, weight, count) = (UInt64(0), UInt64(1), 0)
        for byte in text.utf8 {
            guard count < Self.length, let digit = Self.alphabet.firstIndex(of: byte) else { return nil }
            place += UInt64(digit) * weight
            weight *= Self.base
            count += 1
        }
        guard count == Self.length else { return nil }
        self.place = place
    }

    /// The id of the site of that name, in capitals or not, in an account.
    ///
    /// - Parameter attempt: Another one for each number, where another site has the first.
    public init(of name: String, in account: AccountID, attempt: UInt64 = 0) {
        var mixed = [account.name, name.lowercased()].reduce(UInt64(0)) { mixed, text in
            text.utf8.reduce(SeededGenerator.mixed(mixed)) { SeededGenerator.mixed($0 ^ UInt64($1)) }
        }
        if attempt > 0 { mixed = SeededGenerator.mixed(mixed ^ attempt) }
        place = mixed % Self.count
    }

    /// The site that a name means where a node says it: the one that had the name first; if there is none any
    /// more, the one that is called so now; and otherwise one of which nobody has said anything.
    ///
    /// - Parameters:
    ///   - isSaid: Whether somebody has said something of a site.
    ///   - named: The site among those that is called so now, in capitals or not.
    public static func told(
        _ name: String, in account: AccountID, isSaid: (SiteID) -> Bool, named: (String) -> SiteID?
    ) -> SiteID {
        let first = SiteID(of: name, in: account)
        return isSaid(first) ? first : named(name) ?? first
    }

    /// Appends the ten characters.
    public func append(to output: inout [UInt8]) {
        var rest = place
        for _ in 0..<Self.length {
            output.append(Self.alphabet[Int(rest % Self.base)])
            rest /= Self.base
        }
    }

    /// The ten characters.
    public var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Some order that never changes.
    public static func < (left: SiteID, right: SiteID) -> Bool { left.place < right.place }
}

/// How often somebody has said what a site is, counted on from the highest version of those that were removed
/// from its account; 0: nobody has, and only nodes say that devices stand there.
public struct SiteVersion: Ordinal {
    /// The count.
    public let value: UInt64
    /// The version of that count.
    public init(_ value: UInt64) { self.value = value }
}
