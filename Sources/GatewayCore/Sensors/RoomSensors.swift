import CMath
import FleetProtocol
import UserText

/// The air quality that a pod measures, as its sensors report it.
struct AirQuality: Equatable, Sendable {
    private enum Purpose {
        static let carbonDioxide: UInt64 = 1
        static let volatiles: UInt64 = 2
        static let particles: UInt64 = 3
    }

    private static let outdoorsPPM = 420.0
    /// The carbon dioxide that a seated person exhales, cubic metres an hour.
    private static let exhaledCubicMetres = 0.018
    /// The upper bounds of the first four ratings of volatile compounds, ppb.
    private static let ratingsPPB = [65, 220, 660, 2_200]
    /// The upper bounds of good and of moderate air, µg/m³ of particles: the EPA's index of 2012.
    private static let stepsOfParticles = [12, 35]
    /// The fraction of the particles that remains while a purifier runs.
    private static let purifiedPart = 0.35

    /// Carbon dioxide, ppm.
    let co2: Int
    /// Volatile organic compounds, ppb.
    let tvoc: Int
    /// Particles below 2.5 µm, µg/m³.
    let pm25: Int

    /// The air of a room; a value that is set replaces the simulated one.
    init(in room: SimulatedRoom, at time: WallTime, isPurified: Bool = false, set: RoomForm.Sensed? = nil) {
        // The API's history has whole seconds, and must show the same values.
        let second = time.unixMilliseconds / 1_000
        let time = WallTime(unixMilliseconds: second * 1_000)
        let exhaled = Self.exhaledPPM(in: room, at: time)
        let error = 20 * (room.chance(Purpose.carbonDioxide, second) - 0.5)
        co2 = set?.co2 ?? Int((Self.outdoorsPPM + exhaled + error).rounded())
        let solvents = room.drift(Purpose.volatiles, at: time)
        tvoc = set?.tvoc ?? Int((40 + 0.12 * exhaled + 400 * solvents * solvents * solvents).rounded())
        let dust = room.drift(Purpose.particles, at: time)
        let particles = 3 + 45 * dust * dust * dust
        pm25 = set?.pm25 ?? Int((isPurified ? particles * Self.purifiedPart : particles).rounded())
    }

    /// Ethanol, hundredths of ppm: as sensors of volatile compounds derive it.
    var etohHundredths: Int { tvoc * 6 / 100 }

    /// The rating of the volatile compounds, 1 (very good) to 5 (bad), by the German Environment Agency.
    var iaq: Int { 1 + Self.ratingsPPB.count { tvoc > $0 } }

    /// The step of a Pure: 1 good, 2 moderate, 3 bad.
    var pureStep: Int { 1 + Self.stepsOfParticles.count { pm25 > $0 } }

    /// The carbon dioxide above the outdoor value, ppm, in a room with the same schedule every day. While
    /// people are in the room it approaches the ratio of exhaled to exchanged air; while they are away it
    /// approaches zero.
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

enum AirQuantity: Sendable {
    /// Particles, µg/m³.
    case particles
    /// Particles, in the steps of a Pure.
    case particleStep
    /// Volatile organic compounds, ppb.
    case volatiles
    case carbonDioxide
    /// Ethanol, hundredths of ppm.
    case ethanol
    case rating

    static func measured(by model: ProductModel) -> [AirQuantity] {
        switch model {
        case .sky: []
        case .airPro: [.volatiles, .carbonDioxide, .rating]
        case .pure: [.particleStep]
        case .elements: [.particles, .volatiles, .carbonDioxide, .ethanol, .rating]
        }
    }

    var name: StaticString {
        switch self {
        case .particles, .particleStep: "pm25"
        case .volatiles: "tvoc"
        case .carbonDioxide: "co2"
        case .ethanol: "etoh"
        case .rating: "iaq"
        }
    }

    /// Whether it follows from what is set of a room.
    func isSet(by set: RoomForm.Sensed) -> Bool {
        switch self {
        case .particles, .particleStep: set.pm25 != nil
        case .volatiles, .ethanol, .rating: set.tvoc != nil
        case .carbonDioxide: set.co2 != nil
        }
    }

    func value(in air: AirQuality) -> Int {
        switch self {
        case .particles: air.pm25
        case .particleStep: air.pureStep
        case .volatiles: air.tvoc
        case .carbonDioxide: air.co2
        case .ethanol: air.etohHundredths
        case .rating: air.iaq
        }
    }
}

/// Hours of each day in UTC at which people are in a room, or at home.
struct DailyHours: Equatable, Sendable {
    private static let day = 86_400.0

    /// The start, in hours from 0 to 24.
    let fromHour: Double
    /// The length, 0 to 24 hours; it may extend past midnight.
    let hours: Double

    func contains(_ time: WallTime) -> Bool { hoursSinceStart(at: time) < hours }

    /// Returns the time since the last start, 0 to 24 hours.
    func hoursSinceStart(at time: WallTime) -> Double {
        let second = (Double(time.unixMilliseconds) / 1_000).truncatingRemainder(dividingBy: Self.day)
        let since = second / 3_600 - fromHour
        return since - 24 * (since / 24).rounded(.down)
    }
}

/// Sensibo's Room Sensor, which measures elsewhere in the room and detects people. One in four pods with an
/// air conditioner has one, depending on the pod's ID. The gateway simulates it: temperature and humidity
/// differ from the pod's by constants.
struct RoomSensor: Sendable {
    /// The purpose of this random choice, which makes it independent of others from the same ID.
    private static let purpose: UInt64 = 0x7365_6e73
    private static let motionPurpose: UInt64 = 4
    /// The probability that present people have moved since the last measurement.
    private static let motionChance = 0.7

    /// Whether the pod's temperature and humidity are those of this sensor.
    let isMain: Bool
    let batteryMillivolts: Int
    /// The difference of its temperature to the pod's, tenths of a degree Celsius.
    let deciCelsiusApart: Int
    /// The difference of its humidity to the pod's, tenths of a percent.
    let permilleApart: Int
    let rssiDBm: Int
    private let room: SimulatedRoom
    private let set: RoomSettings.Course

    init?(of pod: Pod) {
        var generator = SeededGenerator.derived(seed: pod.device.bits, purpose: Self.purpose)
        guard pod.model.switchesAirConditioner, generator.next() % 4 == 0 else { return nil }
        // So of the two sensors among 20 devices of the default seed, one is main.
        isMain = generator.next() >> 63 == 0
        batteryMillivolts = .random(in: 2_600...3_050, using: &generator)
        deciCelsiusApart = .random(in: -8...8, using: &generator)
        permilleApart = .random(in: -20...20, using: &generator)
        rssiDBm = .random(in: -80 ... -55, using: &generator)
        (room, set) = (SimulatedRoom(of: pod.device), pod.room)
    }

    func isOccupied(at time: WallTime) -> Bool { set[time]?.isOccupied ?? room.occupancy.contains(time) }

    func noticesMotion(at time: WallTime) -> Bool {
        set[time]?.motion
            ?? (isOccupied(at: time)
                && room.chance(Self.motionPurpose, time.unixMilliseconds / 1_000) < Self.motionChance)
    }
}

/// A pod's room for its further sensors: the people in it, and its air. The gateway derives it from the pod's
/// ID alone. It knows neither the seed nor the simulated clock of the fleet, so people come and go by UTC.
struct SimulatedRoom: Sendable {
    /// The purpose of these random choices, which makes them independent of others from the same ID.
    private static let purpose: UInt64 = 0x6169_7220

    /// The number of people in the room at the same hours every day, 1 to 3.
    let people: Int
    let occupancy: DailyHours
    /// The air changes per hour, 0.3 to 1.
    let airChanges: Double
    /// The volume of the room, 25 to 90 m³.
    let cubicMetres: Double
    private let noiseSeed: UInt64

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
        AirQuality(
            in: SimulatedRoom(of: device), at: time, isPurified: model == .pure && state.isOn,
            set: room[time])
    }

    /// Whether the pod reports a value of its room: `motion`, `occupied`, or one of the air's quality. A pod
    /// of a file reports what it has there.
    func hasSensor(of value: String) -> Bool {
        if let record { return record.reports(value == "occupied" ? "roomIsOccupied" : value) }
        if value == "motion" || value == "occupied" { return RoomSensor(of: self) != nil }
        return AirQuantity.measured(by: model).contains { "\($0.name)" == value }
    }

    /// The purpose of the random choice of an update, which makes it independent of others from the same ID.
    private static let updatePurpose: UInt64 = 0x6677_7570

    /// The newest firmware for the pod: one pod in five has not installed it yet. The next version has the
    /// next number: `SKY30047` after `SKY30046`. A firmware without a number has no next version.
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
