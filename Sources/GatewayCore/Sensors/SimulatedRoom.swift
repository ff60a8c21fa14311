import FleetProtocol

/// A pod's room for its further sensors: the people in it, and its air.
///
/// The gateway derives it from the pod's ID alone. It knows neither the seed nor the simulated clock of the
/// fleet, so people come and go by UTC.
struct SimulatedRoom: Sendable {
    /// The purpose of these random choices, which makes them independent of others from the same ID.
    private static let purpose: UInt64 = 0x6169_7220

    /// The number of people in the room at the same hours every day, 1 to 3.
    let people: Int
    /// The hours at which they are in the room.
    let occupancy: DailyHours
    /// The air changes per hour, 0.3 to 1.
    let airChanges: Double
    /// The volume of the room, 25 to 90 m³.
    let cubicMetres: Double
    /// The seed of the room's noise.
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

    /// Returns a number from 0 to 1 that changes smoothly, with a new target every half hour.
    func drift(_ purpose: UInt64, at time: WallTime) -> Double {
        let halfHours = Double(time.unixMilliseconds) / 1_800_000
        let step = halfHours.rounded(.down)
        let part = halfHours - step
        let (from, to) = (chance(purpose, Int64(step)), chance(purpose, Int64(step) + 1))
        return from + (to - from) * part * part * (3 - 2 * part)
    }

    /// Returns an independent number from 0 to 1 for each time.
    func chance(_ purpose: UInt64, _ number: Int64) -> Double {
        let bits = SeededGenerator.mixed(
            noiseSeed ^ SeededGenerator.mixed(purpose << 48 ^ UInt64(bitPattern: number)))
        return Double(bits >> 11) / Double(1 << 53)
    }
}

extension Pod {
    /// Returns the air quality in the pod's room at a time; its current state applies to that time.
    func airQuality(at time: WallTime) -> AirQuality {
        AirQuality(in: SimulatedRoom(of: device), at: time, isPurified: model == .pure && state.isOn)
    }

    /// The purpose of the random choice of an update, which makes it independent of others from the same ID.
    private static let updatePurpose: UInt64 = 0x6677_7570

    /// The newest firmware for the pod: one pod in five has not installed it yet.
    ///
    /// The next version has the next number: `SKY30047` after `SKY30046`. A firmware without a number has no
    /// next version.
    var availableFirmware: String {
        let firmware = group?.firmware ?? ""
        let digits = firmware.reversed().prefix { $0.isASCII && $0.isNumber }.count
        guard SeededGenerator.mixed(device.bits ^ Self.updatePurpose) % 5 == 0,
            let number = UInt32(firmware.suffix(digits))
        else { return firmware }
        let next = String(UInt64(number) + 1)
        return firmware.dropLast(digits) + String(repeating: "0", count: max(0, digits - next.count)) + next
    }
}

/// The presence of phones at a location: they are away for some hours of each day.
struct LocationPresence: Sendable {
    /// The hours at which all phones are away.
    private let absence: DailyHours
    /// The word for presence: of the user's phone, or of another one.
    private let presentWord: String

    init(at location: SiteID) {
        var letters: [UInt8] = []
        location.append(to: &letters)
        let bits = letters.reduce(UInt64(0)) { SeededGenerator.mixed($0 ^ UInt64($1)) }
        var generator = SeededGenerator(seed: bits)
        absence = DailyHours(
            fromHour: .random(in: 0..<24, using: &generator), hours: .random(in: 4...10, using: &generator))
        presentWord = generator.next() % 2 == 0 ? "me" : "someone"
    }

    /// Returns the value of `occupancy` of a location; `empty` is not recorded from Sensibo.
    func word(at time: WallTime) -> String { absence.contains(time) ? "empty" : presentWord }
}
