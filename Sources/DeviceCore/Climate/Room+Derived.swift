import Stepping

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
