import Glibc
import Stepping

/// The air quality that a pod measures, as its sensors report it.
struct AirQuality: Equatable, Sendable {
    /// What the noise of each value is drawn for.
    private enum Purpose {
        static let carbonDioxide: UInt64 = 1
        static let volatiles: UInt64 = 2
        static let particles: UInt64 = 3
    }

    /// Carbon dioxide outdoors, ppm.
    private static let outdoorsPPM = 420.0
    /// Carbon dioxide that a person who sits exhales, cubic metres an hour.
    private static let exhaledCubicMetres = 0.018
    /// Volatile compounds up to which each of the first four ratings goes, ppb.
    private static let ratingsPPB = [65, 220, 660, 2_200]
    /// Particles up to which the air is good, and moderate, µg/m³: the steps of the EPA's index of 2012.
    private static let stepsOfParticles = [12, 35]
    /// The part of the particles that a purifier leaves while it runs.
    private static let purifiedPart = 0.35

    /// Carbon dioxide, ppm.
    let co2: Int
    /// Volatile organic compounds, ppb.
    let tvoc: Int
    /// Particles below 2.5 µm, µg/m³.
    let pm25: Int

    /// The air that is measured in a room at a time.
    ///
    /// - Parameter isPurified: Whether a purifier runs in it.
    init(in room: SimulatedRoom, at time: WallTime, isPurified: Bool = false) {
        // Samples keep whole seconds, and are to show the same values.
        let second = time.unixMilliseconds / 1_000
        let time = WallTime(unixMilliseconds: second * 1_000)
        let exhaled = Self.exhaledPPM(in: room, at: time)
        let error = 20 * (room.chance(Purpose.carbonDioxide, second) - 0.5)
        co2 = Int((Self.outdoorsPPM + exhaled + error).rounded())
        let solvents = room.drift(Purpose.volatiles, at: time)
        tvoc = Int((40 + 0.12 * exhaled + 400 * solvents * solvents * solvents).rounded())
        let dust = room.drift(Purpose.particles, at: time)
        let particles = 3 + 45 * dust * dust * dust
        pm25 = Int((isPurified ? particles * Self.purifiedPart : particles).rounded())
    }

    /// Ethanol, hundredths of ppm: as sensors of volatile compounds derive it.
    var etohHundredths: Int { tvoc * 6 / 100 }

    /// The rating of the volatile compounds, 1 (very good) to 5 (bad), by the German Environment Agency.
    var iaq: Int { 1 + Self.ratingsPPB.count { tvoc > $0 } }

    /// The step of a Pure: 1 good, 2 moderate, 3 bad.
    var pureStep: Int { 1 + Self.stepsOfParticles.count { pm25 > $0 } }

    /// Carbon dioxide beyond that outdoors, ppm, in a room with the same day before each day.
    ///
    /// It tends to what people exhale over what is exchanged while they are there, and to nothing while they
    /// are not.
    private static func exhaledPPM(in room: SimulatedRoom, at time: WallTime) -> Double {
        let limit = Double(room.people) * exhaledCubicMetres / (room.airChanges * room.cubicMetres) * 1e6
        func left(after hours: Double) -> Double { exp(-room.airChanges * hours) }
        let (present, absent) = (left(after: room.occupancy.hours), left(after: 24 - room.occupancy.hours))
        let onArrival = limit * (1 - present) * absent / (1 - present * absent)
        let onLeaving = limit + (onArrival - limit) * present
        let hours = room.occupancy.hoursSinceStart(at: time)
        guard hours < room.occupancy.hours else {
            return onLeaving * left(after: hours - room.occupancy.hours)
        }
        return limit + (onArrival - limit) * left(after: hours)
    }
}
