import FleetProtocol
import Glibc

/// What changes the humidity ratio of a room, all of it constant.
struct Moisture {
    /// The moist air that the room counts as, in kg: its own, and what walls and textiles hold.
    private let massKg: Double
    /// The air that comes in from outside, in kg/s.
    private let freshKgPerSecond: Double
    /// The air that a wet coil dries down to ``Room/coilRatio``, in kg/s.
    private let driedKgPerSecond: Double
    /// The vapour that comes in, from outside and from people, in kg/s.
    private let vapourKgPerSecond: Double

    /// What changes a room's moisture while its compressor has one duty.
    init(of room: Room, among around: Surroundings, duty: Duty, set state: ACState) {
        massKg = room.airKg * room.moistureBuffer
        freshKgPerSecond = room.freshAirKgPerSecond
        driedKgPerSecond = room.driedKgPerSecond(of: duty, set: state)
        vapourKgPerSecond = freshKgPerSecond * around.humidityRatio + around.vapourKgPerSecond
    }

    /// Where the humidity ratio would come to rest if no coil were wet, in kg/kg.
    var settledRatio: Double { vapourKgPerSecond / freshKgPerSecond }

    /// The humidity ratio after some time, exactly.
    ///
    /// A coil is wet only while the air is moister than what has touched it, so the ratio follows one of
    /// two exponentials, and goes over from one to the other once at most.
    func ratio(after seconds: Double, from start: Double) -> Double {
        let coilRatio = Room.coilRatio
        let isWet = start > coilRatio
        guard driedKgPerSecond > 0, isWet != (settledRatio > coilRatio) else {
            return ratio(after: seconds, from: start, isWet: isWet)
        }
        let settled = self.settled(isWet: isWet)
        let wait = log((start - settled) / (coilRatio - settled)) / rate(isWet: isWet)
        guard wait < seconds else { return ratio(after: seconds, from: start, isWet: isWet) }
        return ratio(after: seconds - wait, from: coilRatio, isWet: !isWet)
    }

    private func ratio(after seconds: Double, from start: Double, isWet: Bool) -> Double {
        let settled = self.settled(isWet: isWet)
        return settled + (start - settled) * exp(-seconds * rate(isWet: isWet))
    }

    private func settled(isWet: Bool) -> Double {
        guard isWet else { return settledRatio }
        return (vapourKgPerSecond + driedKgPerSecond * Room.coilRatio) / (freshKgPerSecond + driedKgPerSecond)
    }

    private func rate(isWet: Bool) -> Double {
        (freshKgPerSecond + (isWet ? driedKgPerSecond : 0)) / massKg
    }
}
