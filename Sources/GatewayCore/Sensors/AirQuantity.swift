import FleetProtocol

/// A quantity of the air that a pod measures.
enum AirQuantity: Sendable {
    /// Particles, µg/m³.
    case particles
    /// Particles, in the steps of a Pure.
    case particleStep
    /// Volatile organic compounds, ppb.
    case volatiles
    /// Carbon dioxide, ppm.
    case carbonDioxide
    /// Ethanol, hundredths of ppm.
    case ethanol
    /// The rating of the volatile compounds.
    case rating

    /// The quantities that a model has sensors for.
    static func measured(by model: ProductModel) -> [AirQuantity] {
        switch model {
        case .sky: []
        case .airPro: [.volatiles, .carbonDioxide, .rating]
        case .pure: [.particleStep]
        case .elements: [.particles, .volatiles, .carbonDioxide, .ethanol, .rating]
        }
    }

    /// The key that clients read.
    var name: StaticString {
        switch self {
        case .particles, .particleStep: "pm25"
        case .volatiles: "tvoc"
        case .carbonDioxide: "co2"
        case .ethanol: "etoh"
        case .rating: "iaq"
        }
    }

    /// Its value in some air.
    func value(in air: AirQuality) -> Int {
        switch self {
        case .particles: air.pm25
        case .particleStep: air.pureStep
        case .volatiles: air.tvoc
        case .carbonDioxide: air.co2
        case .ethanol: air.etohHundredths
        case .rating: air.iaq
        }
    }
}
