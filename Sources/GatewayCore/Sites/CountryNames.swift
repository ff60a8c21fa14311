import FleetProtocol

/// What countries are called in English.
///
/// `deploy/make-places` makes the names in `countries.txt` from `iso3166.tab` of the time zone database,
/// which is in the public domain.
enum CountryNames {
    /// What a country is called; nil for two letters that stand for none.
    static func name(of country: CountryCode) -> String? { byLetters[country.letters] }

    private static let byLetters = Dictionary(
        String(decoding: PackageResources.countries_txt, as: UTF8.self).split(separator: "\n")
            .map { (String($0.prefix(2)), String($0.dropFirst(3))) },
        uniquingKeysWith: { first, _ in first })
}
