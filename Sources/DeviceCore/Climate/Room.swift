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

    /// The room of those values: none is negative, and those that are divided by are not zero.
    init(
        resistanceKelvinPerWatt: Double = 0.03, heatCapacityJoulesPerKelvin: Double = 1.5e6,
        airKg: Double = 62, airChangesPerHour: Double = 0.5, moistureBuffer: Double = 4,
        deviceWatts: Double = 80, occupancy: Occupancy = Occupancy(people: 2, fromHour: 18, hours: 13),
        coolingWatts: Double = 2_640, heatingWatts: Double = 3_040, hysteresisKelvin: Double = 1,
        rssiDBm: Int8 = -60
    ) {
        precondition((1e-4...10).contains(resistanceKelvinPerWatt), "a room's resistance is 0.0001 to 10 K/W")
        precondition(
            (1e4...1e9).contains(heatCapacityJoulesPerKelvin), "a room's heat capacity is 10 kJ/K to 1 GJ/K")
        precondition((1...1e5).contains(airKg), "a room has 1 to 100,000 kg of air")
        precondition((0.01...100).contains(airChangesPerHour), "air changes 0.01 to 100 times an hour")
        precondition((1...100).contains(moistureBuffer), "a room holds 1 to 100 times its air's moisture")
        precondition((0...1e5).contains(deviceWatts), "devices give 0 to 100 kW")
        precondition(
            (0...1e5).contains(coolingWatts) && (0...1e5).contains(heatingWatts),
            "an air conditioner has 0 to 100 kW")
        precondition(
            (0.1...1.9).contains(hysteresisKelvin),
            "a hysteresis is 0.1 to 1.9 K, so that two fit into the dead band")
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

    /// How long a difference to the outside takes to fall to 37 %, in seconds.
    var timeConstantSeconds: Double { resistanceKelvinPerWatt * heatCapacityJoulesPerKelvin }

    /// The air that comes in from outside, in kg/s.
    var freshAirKgPerSecond: Double { airKg * airChangesPerHour / 3_600 }
}
