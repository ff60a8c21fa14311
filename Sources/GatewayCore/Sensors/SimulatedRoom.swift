import FleetProtocol
import Stepping

/// A pod's room for its further sensors: the people in it, and its air.
///
/// The gateway derives it from the pod's ID alone. It knows neither the seed nor the simulated clock of the
/// fleet, so people come and go by UTC.
struct SimulatedRoom: Sendable {
    /// Sets this chance apart from everything else that follows from an ID.
    private static let purpose: UInt64 = 0x6169_7220

    /// The number of people who are there at the same hours every day: 1 to 3.
    let people: Int
    /// When they are there.
    let occupancy: DailyHours
    /// Air changes an hour, 0.3 to 1.
    let airChanges: Double
    /// Cubic metres of air, 25 to 90.
    let cubicMetres: Double
    /// Sets its noise apart from that of other rooms.
    private let noiseSeed: UInt64

    /// The room of a pod.
    init(of device: DeviceID) {
        var generator = SeededGenerator.derived(seed: device.bits, purpose: Self.purpose)
        people = .random(in: 1...3, using: &generator)
        occupancy = DailyHours(
            fromHour: .random(in: 0..<24, using: &generator), hours: .random(in: 6...14, using: &generator))
        airChanges = .random(in: 0.3...1, using: &generator)
        cubicMetres = .random(in: 25...90, using: &generator)
        noiseSeed = generator.next()
    }

    /// A number from 0 to 1 that changes smoothly, to another one every half hour.
    func drift(_ purpose: UInt64, at time: WallTime) -> Double {
        let halfHours = Double(time.unixMilliseconds) / 1_800_000
        let step = halfHours.rounded(.down)
        let part = halfHours - step
        let (from, to) = (chance(purpose, Int64(step)), chance(purpose, Int64(step) + 1))
        return from + (to - from) * part * part * (3 - 2 * part)
    }

    /// A number from 0 to 1 that is another one at each time.
    func chance(_ purpose: UInt64, _ number: Int64) -> Double {
        let bits = SeededGenerator.mixed(
            noiseSeed ^ SeededGenerator.mixed(purpose << 48 ^ UInt64(bitPattern: number)))
        return Double(bits >> 11) / Double(1 << 53)
    }
}
