/// One room with its air conditioner: whatever of it does not change.
///
/// The defaults are a common room of 20 m². Where the numbers come from is in `docs/CLIMATE.md`.
struct Room: Hashable, Sendable {
    /// How many kelvin of difference to the outside drive one watt: walls, windows and changed air together.
    let resistanceKelvinPerWatt: Double
    /// How many joules warm the room by a kelvin: air, furniture and what of the walls follows within hours.
    let heatCapacityJoulesPerKelvin: Double
    /// The mass of the air in it.
    let airKg: Double
    /// How often in an hour all of it is exchanged with the outside.
    let airChangesPerHour: Double
    /// How many times its air's moisture the room holds, walls and textiles included; 1 or more.
    let moistureBuffer: Double
    /// The heat of lamps and devices, always.
    let deviceWatts: Double
    /// Who is in it, every day at the same hours.
    let occupancy: Occupancy
    /// What the air conditioner takes out at its rating, heat and moisture together.
    let coolingWatts: Double
    /// What the air conditioner brings in at its rating.
    let heatingWatts: Double
    /// Between where its thermostat starts and where it stops, 0.1 to 1.9 K.
    let hysteresisKelvin: Double
    /// How well the pod hears its access point on average, in dBm.
    let rssiDBm: Int8

    /// The room of those values.
    ///
    /// Their bounds are far wider than any room's; a value beyond them stops the process.
    init(
        resistanceKelvinPerWatt: Double = 0.03, heatCapacityJoulesPerKelvin: Double = 1.5e6,
        airKg: Double = 62, airChangesPerHour: Double = 0.5, moistureBuffer: Double = 4,
        deviceWatts: Double = 80, occupancy: Occupancy = Occupancy(people: 2, fromHour: 18, hours: 13),
        coolingWatts: Double = 2_640, heatingWatts: Double = 3_040, hysteresisKelvin: Double = 1,
        rssiDBm: Int8 = -60
    ) {
        Self.check(resistanceKelvinPerWatt, within: 1e-4...10, "K/W of resistance")
        Self.check(heatCapacityJoulesPerKelvin, within: 1e4...1e9, "J/K of heat capacity")
        Self.check(airKg, within: 1...1e5, "kg of air")
        Self.check(airChangesPerHour, within: 0.01...100, "air changes an hour")
        Self.check(moistureBuffer, within: 1...100, "times its air's moisture")
        Self.check(deviceWatts, within: 0...1e5, "W of devices")
        Self.check(coolingWatts, within: 0...1e5, "W of cooling")
        Self.check(heatingWatts, within: 0...1e5, "W of heating")
        // Two halves fit into the dead band, so that no room is too warm and too cold at once.
        Self.check(hysteresisKelvin, within: 0.1...1.9, "K of hysteresis")
        self.resistanceKelvinPerWatt = resistanceKelvinPerWatt
        self.heatCapacityJoulesPerKelvin = heatCapacityJoulesPerKelvin
        self.airKg = airKg
        self.airChangesPerHour = airChangesPerHour
        self.moistureBuffer = moistureBuffer
        self.deviceWatts = deviceWatts
        self.occupancy = occupancy
        self.coolingWatts = coolingWatts
        self.heatingWatts = heatingWatts
        self.hysteresisKelvin = hysteresisKelvin
        self.rssiDBm = rssiDBm
    }

    private static func check(_ value: Double, within bounds: ClosedRange<Double>, _ what: StaticString) {
        precondition(
            bounds.contains(value), "a room has \(bounds.lowerBound) to \(bounds.upperBound) \(what)")
    }

    /// How long a difference to the outside takes to fall to 37 %, in seconds.
    var timeConstantSeconds: Double { resistanceKelvinPerWatt * heatCapacityJoulesPerKelvin }

    /// The air that comes in from outside, in kg/s.
    var freshAirKgPerSecond: Double { airKg * airChangesPerHour / 3_600 }
}
