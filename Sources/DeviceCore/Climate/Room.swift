import FleetProtocol
import Glibc
import Stepping

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

/// What the air conditioner does to the room while its compressor runs.
extension Room {
    /// The share of the rated cooling that lowers the temperature; the rest takes water out.
    static let sensibleShare = 0.75
    /// The humidity ratio of the room that the rating is for: 27 °C, wet bulb 19 °C (ISO 5151, condition T1).
    static let ratedRatio = 0.0104
    /// The humidity ratio of the air that has touched the coil: saturated at 11 °C.
    ///
    /// There the rated heat and the rated water need the same stream of air, within a tenth.
    static let coilRatio = 0.0082
    /// How much of its rated heat `dry` takes out: little, so that it can go on for long.
    private static let drySensibleFactor = 0.35
    /// How much of its rated water `dry` takes out.
    private static let dryMoistureFactor = 0.8

    /// The heat that comes into the room by a duty, in watts; negative while it cools.
    func heatWatts(of duty: Duty, set state: ACState) -> Double {
        switch duty {
        case .idle: 0
        case .heating: heatingWatts * state.fanLevel.capacityFactor
        case .cooling:
            -coolingWatts * Self.sensibleShare * state.fanLevel.capacityFactor
                * (state.mode == .dry ? Self.drySensibleFactor : 1)
        }
    }

    /// The air that would have to be dried down to ``coilRatio`` to take out as much water, in kg/s.
    func driedKgPerSecond(of duty: Duty, set state: ACState) -> Double {
        guard duty == .cooling else { return 0 }
        let ratedKgPerSecond = coolingWatts * (1 - Self.sensibleShare) / MoistAir.latentHeatJoulesPerKg
        return ratedKgPerSecond / (Self.ratedRatio - Self.coilRatio) * state.fanLevel.capacityFactor
            * (state.mode == .dry ? Self.dryMoistureFactor : 1)
    }
}

extension FanLevel {
    /// How much of its rated capacity an air conditioner has at this level; `auto` blows as hard as it can.
    var capacityFactor: Double {
        switch self {
        case .quiet: 0.5
        case .low: 0.65
        case .medium: 0.85
        case .high, .auto: 1
        }
    }
}

extension Room {
    /// The capacities in which room air conditioners are sold: 7, 9, 12, 18 and 24 thousand BTU/h, in watts.
    private static let sizesWatts = [2_050.0, 2_640, 3_520, 5_280, 7_030]
    /// Sets the rooms' chance apart from everything else that follows from the seed.
    private static let purpose: UInt64 = 0x526f_6f6d

    /// The room of one device of a fleet: it follows from the fleet's seed and the device's index over the
    /// whole fleet, so nobody has to remember it.
    init(fleetSeed seed: UInt64, index: UInt64) {
        var generator = SeededGenerator.derived(
            seed: SeededGenerator.mixed(seed ^ Self.purpose), purpose: index)
        func within(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }

        let floorSquareMetres = within(10...35)
        let airKg = floorSquareMetres * within(2.4...2.8) * 1.2
        let airChangesPerHour = within(0.3...1)
        let wallsWattsPerKelvin = floorSquareMetres * within(0.6...2)
        let airWattsPerKelvin = airKg * MoistAir.heatCapacityJoulesPerKgKelvin * airChangesPerHour / 3_600
        let loadWatts = floorSquareMetres * within(110...160)
        let coolingWatts = Self.sizesWatts.first { $0 >= loadWatts } ?? Self.sizesWatts[4]
        self.init(
            resistanceKelvinPerWatt: 1 / (wallsWattsPerKelvin + airWattsPerKelvin),
            heatCapacityJoulesPerKelvin: floorSquareMetres * within(40_000...110_000),
            airKg: airKg, airChangesPerHour: airChangesPerHour, moistureBuffer: within(2...8),
            deviceWatts: floorSquareMetres * within(2...6),
            occupancy: Occupancy(
                people: .random(in: 1...(floorSquareMetres < 18 ? 2 : 4), using: &generator),
                fromHour: within(0...24), hours: within(6...14)),
            coolingWatts: coolingWatts, heatingWatts: 1.15 * coolingWatts,
            hysteresisKelvin: within(0.5...1.5), rssiDBm: .random(in: -75 ... -45, using: &generator))
    }
}

/// The air of a room while it is computed: ``RoomClimate`` unpacked.
struct RoomAir {
    /// Temperatures are kept within these: no room of people is outside, and each formula is finite inside.
    static let celsiusBounds = -60.0...90.0
    /// Humidity ratios are kept within these, in kg/kg: up to saturated air of 62 °C.
    static let ratioBounds = 0.0...0.16
    /// How often the compressor may start or stop within one call of ``advance(by:in:among:set:)``.
    ///
    /// After the last it stays as it is. No room that is derived comes near: its limits are minutes apart.
    static let switchesAtMost = 16

    /// The temperature.
    var celsius: Double
    /// The humidity ratio, in kg/kg.
    var humidityRatio: Double
    /// What the compressor does.
    var duty: Duty

    /// Lets time pass while all that acts on the room stays the same.
    ///
    /// The solution is exact, not stepped: it goes from one start or stop of the compressor to the next.
    mutating func advance(by seconds: Double, in room: Room, among around: Surroundings, set state: ACState) {
        let thermostat = Thermostat(state, hysteresisKelvin: room.hysteresisKelvin)
        duty = thermostat.duty(after: duty, at: celsius)
        var left = seconds
        for _ in 0..<Self.switchesAtMost {
            let settled = settledCelsius(in: room, among: around, set: state)
            guard let limit = thermostat.limit(of: duty, isWarming: settled > celsius) else { break }
            let wait = self.seconds(until: limit, settling: settled, in: room)
            guard wait < left else { break }
            drift(for: wait, in: room, among: around, set: state)
            celsius = limit
            duty = thermostat.duty(after: duty, at: celsius)
            left -= wait
        }
        drift(for: left, in: room, among: around, set: state)
        duty = thermostat.duty(after: duty, at: celsius)
    }

    /// Lets time pass while the compressor, too, stays as it is.
    private mutating func drift(
        for seconds: Double, in room: Room, among around: Surroundings, set state: ACState
    ) {
        let settled = settledCelsius(in: room, among: around, set: state)
        let reached = settled + (celsius - settled) * exp(-seconds / room.timeConstantSeconds)
        celsius = reached.clamped(to: Self.celsiusBounds)
        let moisture = Moisture(of: room, among: around, duty: duty, set: state)
        let ratio = moisture.ratio(after: seconds, from: humidityRatio)
        // What the air cannot hold condenses on the walls.
        humidityRatio = min(ratio, MoistAir.saturatedRatio(celsius: celsius)).clamped(to: Self.ratioBounds)
    }

    /// Where the temperature would come to rest.
    private func settledCelsius(in room: Room, among around: Surroundings, set state: ACState) -> Double {
        let watts = around.gainWatts + room.heatWatts(of: duty, set: state)
        return around.celsius + room.resistanceKelvinPerWatt * watts
    }

    /// How long the temperature takes to a limit on its way to where it settles; infinite when it is not on
    /// the way.
    private func seconds(until limit: Double, settling settled: Double, in room: Room) -> Double {
        let shrinking = (celsius - settled) / (limit - settled)
        return shrinking > 1 ? room.timeConstantSeconds * log(shrinking) : .infinity
    }
}

extension Double {
    /// This number, or the bound that it is beyond.
    func clamped(to bounds: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, bounds.lowerBound), bounds.upperBound)
    }
}
