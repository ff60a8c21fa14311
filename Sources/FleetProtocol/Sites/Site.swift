/// A reference to a site by ID or by name.
public enum SiteReference: Hashable, Sendable {
    /// The site with that ID.
    case id(SiteID)
    /// The site with that name, case-insensitively.
    case name(String)
}

/// The ID of a site: 10 characters of `[A-Za-z0-9]`, like the IDs of Sensibo's locations.
///
/// The ID is derived from the account and the site's first name, and does not change when the site is
/// renamed.
public struct SiteID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of characters in an ID.
    public static let length = 10

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let base = UInt64(62)
    /// The number of different IDs: 62¹⁰.
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

    /// Derives the ID of a site from its name, case-insensitively, and its account.
    ///
    /// - Parameter attempt: 0 at first; each other number gives another ID, in case a site has the first one.
    public init(of name: String, in account: AccountID, attempt: UInt64 = 0) {
        var mixed = [account.name, name.lowercased()].reduce(UInt64(0)) { mixed, text in
            text.utf8.reduce(SeededGenerator.mixed(mixed)) { SeededGenerator.mixed($0 ^ UInt64($1)) }
        }
        if attempt > 0 { mixed = SeededGenerator.mixed(mixed ^ attempt) }
        place = mixed % Self.count
    }

    /// Resolves a site name that a node reports: first the site that was created with the name.
    ///
    /// If it has no profile, the result is the site that has the name now, or else the new name's ID.
    ///
    /// - Parameters:
    ///   - hasProfile: Returns whether a site has a profile.
    ///   - named: Returns the site among those with that current name, case-insensitively.
    public static func reported(
        _ name: String, in account: AccountID, hasProfile: (SiteID) -> Bool, named: (String) -> SiteID?
    ) -> SiteID {
        let first = SiteID(of: name, in: account)
        return hasProfile(first) ? first : named(name) ?? first
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

    /// Compares IDs in an arbitrary but stable order.
    public static func < (left: SiteID, right: SiteID) -> Bool { left.place < right.place }
}

/// The number of changes to a site's profile, continued from the highest version of the account's removed
/// sites; it is 0 for a site without a profile, which only nodes report.
public struct SiteVersion: Ordinal {
    /// The count.
    public let value: UInt64
    /// A version with a count.
    public init(_ value: UInt64) { self.value = value }
}

/// The reason why a site's profile is invalid.
public enum SiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A text is not allowed; the error has the field and the reason.
    case text(LogbookTextError)
    /// The address has more than ``Limits/siteAddressLines`` lines.
    case lines

    /// The field and the allowed values; the description never includes the user's text.
    public var description: String {
        switch self {
        case .text(let error): error.description
        case .lines: "address: at most \(Limits.siteAddressLines) lines are allowed"
        }
    }
}

/// A site's user-supplied description.
public struct SiteProfile: Hashable, Sendable {
    /// The name, as untrusted text: one line of 1 to ``Limits/nameBytes`` bytes with a visible character.
    public let name: String
    /// The description in HTML of at most ``Limits/siteDescriptionBytes`` bytes; may be empty.
    ///
    /// The HTML is untrusted: sanitize it before display.
    public private(set) var description: String
    /// The coordinates; nil if they are not set.
    public let coordinates: Coordinates?
    /// The address without city and country: at most ``Limits/siteAddressLines`` lines of 1 to
    /// ``Limits/nameBytes`` bytes.
    public let address: [String]
    /// The city, at most ``Limits/nameBytes`` bytes; empty if it is not set.
    public let city: String
    /// The country; nil if it is not set.
    public let country: CountryCode?
    /// The time zone; nil if it is not set.
    public let timeZone: TimeZoneName?

    /// A profile with the given values.
    ///
    /// - Throws: ``SiteError``.
    public init(
        name: String, description: String = "", coordinates: Coordinates? = nil, address: [String] = [],
        city: String = "", country: CountryCode? = nil, timeZone: TimeZoneName? = nil
    ) throws(SiteError) {
        guard address.count <= Limits.siteAddressLines else { throw .lines }
        do throws(LogbookTextError) {
            self.name = try LogbookText.line(name, of: "name", bytes: Limits.nameBytes)
            self.description = try LogbookText.lines(
                description, of: "description", bytes: Limits.siteDescriptionBytes)
            for line in address { _ = try LogbookText.line(line, of: "address", bytes: Limits.nameBytes) }
            if !city.isEmpty { _ = try LogbookText.line(city, of: "city", bytes: Limits.nameBytes) }
        } catch {
            throw .text(error)
        }
        (self.coordinates, self.address, self.city) = (coordinates, address, city)
        (self.country, self.timeZone) = (country, timeZone)
    }

    /// The profile without its description.
    public var brief: SiteProfile {
        var profile = self
        profile.description = ""
        return profile
    }

    /// The size of the texts in bytes.
    public var bytes: Int {
        address.reduce(name.utf8.count + description.utf8.count + city.utf8.count) { $0 + $1.utf8.count }
    }
}

extension Site {
    /// The site without its description, as lists have it.
    public var brief: Site {
        var site = self
        site.profile = profile.brief
        return site
    }
}

/// A position on the Earth (WGS 84), to a millionth of a degree, which is about 0.1 m.
public struct Coordinates: Hashable, Sendable, CustomStringConvertible {
    private static let unit = 1_000_000
    private static let latitudes = Int32(-90 * unit)...Int32(90 * unit)
    private static let longitudes = Int32(-180 * unit)...Int32(180 * unit)

    /// Millionths of a degree north of the equator, −90 to 90 degrees.
    public let latitudeMicrodegrees: Int32
    /// Millionths of a degree east of Greenwich, −180 to 180 degrees.
    public let longitudeMicrodegrees: Int32

    /// Creates a position; nil if the latitude or the longitude is out of range.
    public init?(latitudeMicrodegrees: Int32, longitudeMicrodegrees: Int32) {
        guard Self.latitudes.contains(latitudeMicrodegrees),
            Self.longitudes.contains(longitudeMicrodegrees)
        else { return nil }
        self.latitudeMicrodegrees = latitudeMicrodegrees
        self.longitudeMicrodegrees = longitudeMicrodegrees
    }

    /// Creates a position rounded to millionths of a degree; nil if a value is out of range.
    public init?(latitude: Double, longitude: Double) {
        let (north, east) = (
            (latitude * Double(Self.unit)).rounded(), (longitude * Double(Self.unit)).rounded()
        )
        guard let north = Int32(exactly: north), let east = Int32(exactly: east) else { return nil }
        self.init(latitudeMicrodegrees: north, longitudeMicrodegrees: east)
    }

    /// Degrees north of the equator.
    public var latitude: Double { Double(latitudeMicrodegrees) / Double(Self.unit) }

    /// Degrees east of Greenwich.
    public var longitude: Double { Double(longitudeMicrodegrees) / Double(Self.unit) }

    /// Latitude and longitude in degrees, with a comma between them, as in RFC 5870.
    public var description: String {
        "\(Self.degrees(latitudeMicrodegrees)),\(Self.degrees(longitudeMicrodegrees))"
    }

    private static func degrees(_ millionths: Int32) -> String {
        let (whole, part) = millionths.magnitude.quotientAndRemainder(dividingBy: UInt32(unit))
        let sign = millionths < 0 ? "-" : ""
        guard part > 0 else { return "\(sign)\(whole)" }
        var digits = String(repeating: "0", count: 6 - String(part).count) + String(part)
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}

/// A two-letter country code (ISO 3166-1 alpha-2), such as `NO`; the code is not checked against the list of
/// countries.
public struct CountryCode: Hashable, Sendable, CustomStringConvertible {
    /// Two of `[A-Z]`.
    public let letters: String

    /// Creates a country code, case-insensitively; nil if the text is not two letters of the alphabet.
    public init?(_ text: String) {
        let letters = text.uppercased()
        guard letters.utf8.count == 2,
            letters.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        self.letters = letters
    }

    /// The two letters.
    public var description: String { letters }
}
