import FleetProtocol
import Stepping

/// The rooms that a node's devices are in, and their climate: eight bytes a device.
///
/// A room's climate is computed when its pod measures, from one time to the next, with the air conditioner
/// taken as it was set at the end: what somebody changes counts from the measurement before. A node that
/// starts again finds its rooms as if nothing had changed for long.
struct Rooms: Sendable {
    /// Sets the radio's chance apart from everything else that follows from the seed.
    private static let purpose: UInt64 = 0x7273_7369

    private let seed: UInt64
    private let firstIndex: UInt64
    private var outdoors: Outdoors
    /// The simulated time of day at which the scenario began.
    private var startMs: Int64
    private var climates: [RoomClimate]
    private(set) var round: MeasuringRound

    /// The rooms of a node that begins.
    ///
    /// Where an air conditioner runs that heats or cools, it has reached what it aims for.
    ///
    /// - Parameter states: What the air conditioner of each slot does.
    init(of configuration: NodeConfiguration, set states: [ACState]) {
        seed = configuration.seed
        firstIndex = configuration.firstIndex
        startMs = Int64(configuration.scenario.clock.start.secondOfDay) * 1_000
        let outdoors = Outdoors(configuration.scenario.weather)
        self.outdoors = outdoors
        round = MeasuringRound(of: configuration.devices)
        climates = states.enumerated().map { slot, state in
            let room = Room(fleetSeed: configuration.seed, index: configuration.firstIndex + UInt64(slot))
            return RoomClimate(settledIn: room, under: outdoors, set: state)
        }
    }

    /// Goes on with another scenario, which begins now: other weather, another time of day, a first round.
    ///
    /// What has passed since each pod measured last, a round at most, is left out.
    mutating func begin(_ scenario: Scenario) {
        startMs = Int64(scenario.clock.start.secondOfDay) * 1_000
        outdoors = Outdoors(scenario.weather)
        round = MeasuringRound(of: climates.count)
    }

    /// Only so many rooms are left, the first ones.
    mutating func keep(_ left: Int) {
        guard left < climates.count else { return }
        climates.removeLast(climates.count - left)
        round.keep(left)
    }

    /// The slot of the pod whose turn it is by that simulated time; nil when it is nobody's yet.
    func slotDue(atMs nowMs: Int64) -> Int? {
        !round.isEmpty && round.dueMs <= nowMs ? round.place : nil
    }

    /// Lets the pod measure whose turn it is.
    ///
    /// - Parameter state: What its air conditioner does.
    mutating func measureNext(atMs nowMs: Int64, _ state: ACState) -> Measurements {
        let (slot, dueMs, lastMs) = (round.place, round.dueMs, round.lastMs)
        let room = room(of: slot)
        climates[slot].advance(
            by: .milliseconds(dueMs - lastMs), from: .milliseconds(startMs + lastMs), in: room,
            under: outdoors, set: state)
        let measurements = measurements(of: slot, in: room, atMs: dueMs)
        round.goOn(atMs: nowMs)
        return measurements
    }

    /// What a device's pod measured when it did last.
    func measurements(of slot: Int) -> Measurements {
        measurements(of: slot, in: room(of: slot), atMs: round.dueMs)
    }

    private func measurements(of slot: Int, in room: Room, atMs time: Int64) -> Measurements {
        var generator = SeededGenerator.derived(
            seed: seed ^ Self.purpose, purpose: (firstIndex + UInt64(slot)) ^ UInt64(time) << 20)
        return Measurements(of: climates[slot], in: room, using: &generator)
    }

    private func room(of slot: Int) -> Room {
        Room(fleetSeed: seed, index: firstIndex + UInt64(slot))
    }
}
