import Stepping

/// A place of an account's where devices stand.
public struct Site: Hashable, Sendable {
    /// Its name for machines.
    public let id: SiteID
    /// How often somebody has said what it is.
    public let version: SiteVersion
    /// What was said.
    public let profile: SiteProfile

    /// The site of those parts.
    public init(id: SiteID, version: SiteVersion, profile: SiteProfile) {
        self.id = id
        self.version = version
        self.profile = profile
    }
}

/// Which site somebody means.
public enum SiteReference: Hashable, Sendable {
    /// The one of that id.
    case id(SiteID)
    /// The one of that name, in capitals or not.
    case name(String)
}

/// A site, and how many devices stand there.
public struct SiteReport: Hashable, Sendable {
    /// The site; in lists without its description.
    public let site: Site
    /// How many devices there are that the controller knows now.
    public let devices: UInt32
    /// Whether it has a description.
    public let isDescribed: Bool

    /// The report of those values.
    public init(site: Site, devices: UInt32, isDescribed: Bool) {
        self.site = site
        self.devices = devices
        self.isDescribed = isDescribed
    }
}

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

/// Why something cannot be said of a site.
public enum SiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A text is not allowed; which, and why.
    case text(LogbookTextError)
    /// There are more lines of address than ``Limits/siteAddressLines``.
    case lines

    /// What is wrong, and what is allowed; never the text.
    public var description: String {
        switch self {
        case .text(let error): error.description
        case .lines: "address: at most \(Limits.siteAddressLines) lines are allowed"
        }
    }
}

/// What people say of a site.
public struct SiteProfile: Hashable, Sendable {
    /// One line of 1 to ``Limits/nameBytes`` bytes of which something can be seen; text of strangers.
    public let name: String
    /// HTML, at most ``Limits/siteDescriptionBytes`` bytes, and empty where there is none.
    ///
    /// It is a stranger's: whoever shows it takes out of it what is not allowed.
    public let description: String
    /// Where it is; nil where nobody said.
    public let coordinates: Coordinates?
    /// Its address without city and country: at most ``Limits/siteAddressLines`` lines of 1 to
    /// ``Limits/nameBytes`` bytes.
    public let address: [String]
    /// At most ``Limits/nameBytes`` bytes; empty where nobody said.
    public let city: String
    /// Its country; nil where nobody said.
    public let country: CountryCode?
    /// What its clocks show; nil where nobody said.
    public let timeZone: TimeZoneName?

    /// The profile of those parts.
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
        self.coordinates = coordinates
        self.address = address
        self.city = city
        self.country = country
        self.timeZone = timeZone
    }

    private init(_ profile: SiteProfile, description: String) {
        name = profile.name
        self.description = description
        coordinates = profile.coordinates
        address = profile.address
        city = profile.city
        country = profile.country
        timeZone = profile.timeZone
    }

    /// The same without its description.
    public var brief: SiteProfile { SiteProfile(self, description: "") }

    /// What its texts take.
    public var bytes: Int {
        address.reduce(name.utf8.count + description.utf8.count + city.utf8.count) { $0 + $1.utf8.count }
    }
}

/// A place on the Earth (WGS 84), to a millionth of a degree: a tenth of a metre.
public struct Coordinates: Hashable, Sendable, CustomStringConvertible {
    private static let unit = 1_000_000
    private static let latitudes = Int32(-90 * unit)...Int32(90 * unit)
    private static let longitudes = Int32(-180 * unit)...Int32(180 * unit)

    /// Millionths of a degree north of the equator, −90 to 90 degrees.
    public let latitudeMicrodegrees: Int32
    /// Millionths of a degree east of Greenwich, −180 to 180 degrees.
    public let longitudeMicrodegrees: Int32

    /// The place of those numbers; nil where there is none.
    public init?(latitudeMicrodegrees: Int32, longitudeMicrodegrees: Int32) {
        guard Self.latitudes.contains(latitudeMicrodegrees),
            Self.longitudes.contains(longitudeMicrodegrees)
        else { return nil }
        self.latitudeMicrodegrees = latitudeMicrodegrees
        self.longitudeMicrodegrees = longitudeMicrodegrees
    }

    /// The place of those degrees, to the nearest millionth; nil where there is none.
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

/// A country by its two letters (ISO 3166-1 alpha-2), such as `NO`; whether there is one, is not looked up.
public struct CountryCode: Hashable, Sendable, CustomStringConvertible {
    /// Two of `[A-Z]`.
    public let letters: String

    /// The country of those letters, small ones too; nil where they are not two of the alphabet's.
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
