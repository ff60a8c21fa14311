import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// What there is to say of a site besides its name; an empty text takes away what was said.
struct SiteOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "HTML, \(Limits.siteDescriptionBytes) bytes at most; the page shows it without scripts and "
                + "without anything from elsewhere.", valueName: "html"))
    var description: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Degrees north and east (WGS 84), as in 59.9139,10.7522.", valueName: "lat,lon"),
        transform: Coordinates.parse)
    var coordinates: Said<Coordinates>?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A line of the address without city and country; \(Limits.siteAddressLines) at most.",
            valueName: "line"))
    var address: [String] = []

    @Option(help: ArgumentHelp("The city.", valueName: "name")) var city: String?

    @Option(
        help: ArgumentHelp("The country's two letters (ISO 3166-1), as in NO.", valueName: "letters"),
        transform: CountryCode.parse)
    var country: Said<CountryCode>?

    @Option(
        help: ArgumentHelp("What its clocks show, as in Europe/Oslo.", valueName: "zone"),
        transform: TimeZoneName.parseSaid)
    var timeZone: Said<TimeZoneName>?

    /// Whether nothing is said.
    var isEmpty: Bool {
        description == nil && coordinates == nil && address.isEmpty && city == nil && country == nil
            && timeZone == nil
    }

    /// What is said now, over what was said before.
    ///
    /// - Throws: `CommandFailure` of status 64 for what is not allowed.
    func profile(named name: String, over known: SiteProfile? = nil) throws(CommandFailure) -> SiteProfile {
        do throws(SiteError) {
            return try SiteProfile(
                name: name, description: description ?? known?.description ?? "",
                coordinates: coordinates.map(\.value) ?? known?.coordinates,
                address: address.isEmpty ? known?.address ?? [] : address.filter { !$0.isEmpty },
                city: city ?? known?.city ?? "", country: country.map(\.value) ?? known?.country,
                timeZone: timeZone.map(\.value) ?? known?.timeZone)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
    }
}

/// What somebody says: a value, or that there is none.
struct Said<Value: Sendable>: Sendable {
    /// Nil where there is none.
    let value: Value?
}

extension Coordinates {
    /// Coordinates as they are typed; an empty text says that there are none.
    static func parse(_ text: String) throws -> Said<Coordinates> {
        guard !text.isEmpty else { return Said(value: nil) }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.trimmingPrefix(while: \.isWhitespace))
        }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
            let place = Coordinates(latitude: latitude, longitude: longitude)
        else {
            throw ValidationError(
                "'\(SafeText.of(text))' is no place: name degrees north (-90 to 90) and east (-180 to 180), "
                    + "as in 59.9139,10.7522")
        }
        return Said(value: place)
    }
}

extension CountryCode {
    /// A country as it is typed; an empty text says that there is none.
    static func parse(_ text: String) throws -> Said<CountryCode> {
        guard !text.isEmpty else { return Said(value: nil) }
        let words = "'\(SafeText.of(text))' is no country: name its two letters, as in NO"
        return Said(value: try CountryCode(text).orInvalid(words))
    }
}

extension TimeZoneName {
    /// A time zone as it is typed; an empty text says that there is none.
    static func parseSaid(_ text: String) throws -> Said<TimeZoneName> {
        guard !text.isEmpty else { return Said(value: nil) }
        let words = "'\(SafeText.of(text))' is no time zone: name one of the IANA database, as in Europe/Oslo"
        return Said(value: try TimeZoneName(text).orInvalid(words))
    }
}

extension ControllerAccess {
    /// Does something about one site that exists.
    ///
    /// - Parameter name: Its name, in capitals or not, or its id.
    /// - Throws: `CommandFailure` of status 77 when there is no such site, and what the work throws.
    func aboutSite<Result: Sendable>(
        _ name: String, _ work: @Sendable (FleetClient, SiteReport) async throws -> Result
    ) async throws -> Result {
        try await withSession { client in
            try await work(client, try await Self.site(name, with: client))
        }
    }

    /// The site of a name or, where no site is called so, of an id.
    private static func site(_ name: String, with client: FleetClient) async throws -> SiteReport {
        var references: [SiteReference] = name.utf8.count <= Limits.nameBytes ? [.name(name)] : []
        if let id = SiteID(name) { references.append(.id(id)) }
        for reference in references where reference != .name("") {
            do {
                return try await client.site(reference)
            } catch FleetError.refused(.notFound) {
                continue
            }
        }
        throw CommandFailure.noSite(name)
    }
}

extension CommandFailure {
    /// There is no site of that name.
    static func noSite(_ name: String) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no site '\(SafeText.of(name))' in this account (notFound)",
            advice: "`fleet sites` shows what there is; `fleet site add NAME` makes one")
    }
}
