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
