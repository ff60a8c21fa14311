import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserFiles
import UserText

/// The profile of a site except for its name; an empty text removes a value.
struct SiteOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: .value(
            "html",
            "The description: HTML, \(Limits.siteDescriptionBytes) bytes at most, shown without scripts and "
                + "external content."))
    var description: String?

    @Option(
        parsing: .unconditional,
        help: .value("lat,lon", "Degrees north and east (WGS 84), such as 59.9139,10.7522."),
        transform: Coordinates.parse)
    var coordinates: Given<Coordinates>?

    @Option(
        parsing: .unconditionalSingleValue,
        help: .value(
            "line", "A line of the address without city and country; \(Limits.siteAddressLines) at most."))
    var address: [String] = []

    @Option(help: .value("name", "The city.")) var city: String?

    @Option(
        help: .value("letters", "The country's two letters (ISO 3166-1), such as NO."),
        transform: CountryCode.parse)
    var country: Given<CountryCode>?

    @Option(help: .value("zone", "The time zone, such as Europe/Oslo."), transform: TimeZoneName.parseGiven)
    var timeZone: Given<TimeZoneName>?

    var isEmpty: Bool {
        description == nil && coordinates == nil && address.isEmpty && city == nil && country == nil
            && timeZone == nil
    }

    /// Returns the profile with the given values in place of the known ones.
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

struct Given<Value: Sendable>: Sendable {
    /// The value; nil to remove it.
    let value: Value?
}

extension Coordinates {
    /// Parses coordinates; an empty text removes them.
    static func parse(_ text: String) throws -> Given<Coordinates> {
        guard !text.isEmpty else { return Given(value: nil) }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.trimmingPrefix(while: \.isWhitespace))
        }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
            let place = Coordinates(latitude: latitude, longitude: longitude)
        else {
            throw ValidationError(
                "'\(SafeText.of(text))': invalid coordinates: give degrees north (-90 to 90) and east (-180 to "
                    + "180), such as 59.9139,10.7522")
        }
        return Given(value: place)
    }
}

extension CountryCode {
    /// Parses a country; an empty text removes it.
    static func parse(_ text: String) throws -> Given<CountryCode> {
        guard !text.isEmpty else { return Given(value: nil) }
        let message = "'\(SafeText.of(text))' is not a country: give its two letters, such as NO"
        return Given(value: try CountryCode(text).orInvalid(message))
    }
}

extension TimeZoneName {
    /// Parses a time zone; an empty text removes it.
    static func parseGiven(_ text: String) throws -> Given<TimeZoneName> {
        guard !text.isEmpty else { return Given(value: nil) }
        let message = "'\(SafeText.of(text))' is not a time zone: use an IANA name, such as Europe/Oslo"
        // A zone that this machine does not have is refused for rosters too.
        return Given(
            value: try TimeZoneName(text).flatMap { Environment.timeZones.has($0) ? $0 : nil }.orInvalid(
                message))
    }
}

extension ControllerAccess {
    /// Runs work with one existing site, named in any case or by its ID; status 77 if there is none.
    func aboutSite<Result: Sendable>(
        _ name: String, _ work: @Sendable (FleetClient, SiteReport) async throws -> Result
    ) async throws -> Result {
        try await withSession { client in
            try await work(client, try await Self.site(name, with: client))
        }
    }

    /// Returns the site with a name or, if no site has the name, with that ID.
    static func site(_ name: String, with client: FleetClient) async throws -> SiteReport {
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
    /// The account has no site with that name or ID.
    static func noSite(_ name: String) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no site '\(SafeText.of(name))' in this account (notFound)",
            advice: "list the sites with `fleet sites`, or add one with `fleet site add NAME`")
    }
}
