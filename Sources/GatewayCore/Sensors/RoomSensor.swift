import FleetProtocol
import Stepping

/// Sensibo's Room Sensor: it measures elsewhere in the room, and notices people.
///
/// One pod in four that switches an air conditioner has one, which follows from the pod's ID. The gateway
/// simulates it: temperature and humidity are the pod's, a constant apart.
struct RoomSensor: Sendable {
    /// Sets this chance apart from everything else that follows from an ID.
    private static let purpose: UInt64 = 0x7365_6e73
    private static let motionPurpose: UInt64 = 4
    /// The probability that people who are there have moved since the last measurement.
    private static let motionChance = 0.7

    /// Whether the pod's temperature and humidity are those of this sensor.
    let isMain: Bool
    /// The voltage of its battery, mV.
    let batteryMillivolts: Int
    /// The difference of its temperature to the pod's, tenths of a degree Celsius.
    let deciCelsiusApart: Int
    /// The difference of its humidity to the pod's, tenths of a percent.
    let permilleApart: Int
    /// The strength of its radio signal, dBm.
    let rssiDBm: Int
    private let room: SimulatedRoom

    /// The sensor of a pod; nil where it has none.
    init?(of pod: Pod) {
        var generator = SeededGenerator.derived(seed: pod.device.bits, purpose: Self.purpose)
        guard pod.model.switchesAirConditioner, generator.next() % 4 == 0 else { return nil }
        isMain = generator.next() % 2 == 0
        batteryMillivolts = .random(in: 2_600...3_050, using: &generator)
        deciCelsiusApart = .random(in: -8...8, using: &generator)
        permilleApart = .random(in: -20...20, using: &generator)
        rssiDBm = .random(in: -80 ... -55, using: &generator)
        room = SimulatedRoom(of: pod.device)
    }

    /// Whether people are in the room.
    func isOccupied(at time: WallTime) -> Bool { room.occupancy.contains(time) }

    /// Whether it noticed motion.
    func noticesMotion(at time: WallTime) -> Bool {
        isOccupied(at: time)
            && room.chance(Self.motionPurpose, time.unixMilliseconds / 1_000) < Self.motionChance
    }
}
