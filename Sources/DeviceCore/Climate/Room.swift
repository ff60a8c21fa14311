import CMath
import FleetProtocol

/// The constant properties of one room and its air conditioner. The defaults describe a common room of 20 m²;
/// `docs/explanation/climate.md` has the sources of the values.
struct Room: Hashable, Sendable {
    /// The thermal resistance to the outside, K/W: walls, windows and air exchange together.
    let resistanceKelvinPerWatt: Double
    /// The heat capacity, J/K: air, furniture and the part of the walls that follows within hours.
    let heatCapacityJoulesPerKelvin: Double
    let airKg: Double
    /// The number of complete air exchanges with the outside an hour.
    let airChangesPerHour: Double
    /// The moisture capacity of the room, walls and textiles included, as a multiple of its air's; at least
    /// 1.
    let moistureBuffer: Double
    let deviceWatts: Double
    /// The people in the room, every day at the same hours.
    let occupancy: Occupancy
    /// The rated cooling capacity of the air conditioner, sensible and latent together.
    let coolingWatts: Double
    let heatingWatts: Double
    /// The difference between the temperatures at which the thermostat starts and stops, 0.1 to 1.9 K.
    let hysteresisKelvin: Double
    let rssiDBm: Int8

    /// The room of those values. The bounds are far wider than any real room's; a value outside them stops
    /// the process.
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
        // Half the hysteresis on each side fits into the dead band, so heating and cooling never overlap.
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

    /// The time in which a temperature difference to the outside falls to 37 %, in seconds.
    var timeConstantSeconds: Double { resistanceKelvinPerWatt * heatCapacityJoulesPerKelvin }

    /// The mass flow of outside air into the room, in kg/s.
    var freshAirKgPerSecond: Double { airKg * airChangesPerHour / 3_600 }
}

/// The heat and moisture flows of a running compressor.
extension Room {
    /// The share of the rated cooling that lowers the temperature; the rest condenses water.
    static let sensibleShare = 0.75
    /// The room's humidity ratio at the rating: 27 °C, wet bulb 19 °C (ISO 5151, condition T1).
    static let ratedRatio = 0.0104
    /// The humidity ratio of air that leaves the coil: saturated at 11 °C. At this ratio, the rated heat and
    /// the rated water need the same air flow, within a tenth.
    static let coilRatio = 0.0082
    /// The share of the rated sensible cooling in `dry` mode: small, so that `dry` can run for a long time.
    private static let drySensibleFactor = 0.35
    /// The share of the rated water removal in `dry` mode.
    private static let dryMoistureFactor = 0.8

    /// The heat flow into the room at a duty, in watts; negative for cooling.
    func heatWatts(of duty: Duty, set state: ACState) -> Double {
        switch duty {
        case .idle: 0
        case .heating: heatingWatts * state.fanLevel.capacityFactor
        case .cooling:
            -coolingWatts * Self.sensibleShare * state.fanLevel.capacityFactor
                * (state.mode == .dry ? Self.drySensibleFactor : 1)
        }
    }

    /// The flow of air that, dried to ``coilRatio``, loses as much water as the coil removes, in kg/s.
    func driedKgPerSecond(of duty: Duty, set state: ACState) -> Double {
        guard duty == .cooling else { return 0 }
        let ratedKgPerSecond = coolingWatts * (1 - Self.sensibleShare) / MoistAir.latentHeatJoulesPerKg
        return ratedKgPerSecond / (Self.ratedRatio - Self.coilRatio) * state.fanLevel.capacityFactor
            * (state.mode == .dry ? Self.dryMoistureFactor : 1)
    }
}

extension FanLevel {
    /// The share of the rated capacity at this fan level; `auto` and `strong` count as `high`.
    var capacityFactor: Double {
        switch self {
        case .quiet: 0.5
        case .low: 0.65
        case .mediumLow: 0.75
        case .medium: 0.85
        case .mediumHigh: 0.93
        case .high, .auto, .strong: 1
        }
    }
}

extension Room {
    /// The usual capacities of room air conditioners: 7, 9, 12, 18 and 24 thousand BTU/h, in watts.
    private static let sizesWatts = [2_050.0, 2_640, 3_520, 5_280, 7_030]
    /// Separates the random stream of the rooms from the others of the same seed.
    private static let purpose: UInt64 = 0x526f_6f6d

    /// The room of one device, derived from the fleet's seed and the device's index over the whole fleet, so
    /// it need not be stored.
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

/// The air of a room during the computation: ``RoomClimate`` unpacked.
struct RoomAir {
    /// The bounds to which temperatures are clamped: each formula is finite inside them.
    static let celsiusBounds = -60.0...90.0
    /// The bounds to which humidity ratios are clamped, in kg/kg: up to saturated air of 62 °C.
    static let ratioBounds = 0.0...0.16
    /// The most starts and stops of the compressor in one call of ``advance(by:in:among:set:)``. After the
    /// last, the duty stays constant. Derived rooms do not reach the limit: their starts and stops are
    /// minutes apart.
    static let switchesAtMost = 16

    var celsius: Double
    var humidityRatio: Double
    var duty: Duty

    /// Advances the air by a time, with constant surroundings and a constant state of the air conditioner.
    /// The solution is analytic: it proceeds from one start or stop of the compressor to the next.
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

    /// Advances the air by a time in which the compressor's duty is constant, too.
    private mutating func drift(
        for seconds: Double, in room: Room, among around: Surroundings, set state: ACState
    ) {
        let settled = settledCelsius(in: room, among: around, set: state)
        let reached = settled + (celsius - settled) * exp(-seconds / room.timeConstantSeconds)
        celsius = reached.clamped(to: Self.celsiusBounds)
        let moisture = Moisture(of: room, among: around, duty: duty, set: state)
        let ratio = moisture.ratio(after: seconds, from: humidityRatio)
        // Water above saturation condenses on the walls.
        humidityRatio = min(ratio, MoistAir.saturatedRatio(celsius: celsius)).clamped(to: Self.ratioBounds)
    }

    /// The equilibrium temperature at the current duty.
    private func settledCelsius(in room: Room, among around: Surroundings, set state: ACState) -> Double {
        let watts = around.gainWatts + room.heatWatts(of: duty, set: state)
        return around.celsius + room.resistanceKelvinPerWatt * watts
    }

    /// The time until the temperature reaches a limit on its way to the equilibrium; infinite when the limit
    /// is not on the way.
    private func seconds(until limit: Double, settling settled: Double, in room: Room) -> Double {
        let shrinking = (celsius - settled) / (limit - settled)
        return shrinking > 1 ? room.timeConstantSeconds * log(shrinking) : .infinity
    }
}

extension Double {
    func clamped(to bounds: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, bounds.lowerBound), bounds.upperBound)
    }
}
