import FleetProtocol

/// The English names of countries.
///
/// `deploy/make-places` makes the names in `countries.txt` from `iso3166.tab` of the time zone database,
/// which is in the public domain.
enum CountryNames {
    /// Returns the name of a country; nil for an unassigned code.
    static func name(of country: CountryCode) -> String? { byLetters[country.letters] }

    private static let byLetters = Dictionary(
        (EmbeddedText.files["Sites/countries.txt"]?.description ?? "").split(separator: "\n")
            .map { (String($0.prefix(2)), String($0.dropFirst(3))) },
        uniquingKeysWith: { first, _ in first })
}
