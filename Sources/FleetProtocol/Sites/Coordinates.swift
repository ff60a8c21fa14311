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
