import FleetProtocol
import Stepping

/// How warm and how moist a room is, and whether its compressor runs: eight bytes.
///
/// Temperature and humidity ratio are kept far finer than they are measured, because a slow drift over a
/// short time must not be rounded away: at 90 s, hundredths of a degree would stand still in all that
/// changes by less than 0.2 K an hour.
struct RoomClimate: Hashable, Sendable {
    /// For how long weather and people are taken as constant; the slices begin at midnight.
    private static let sliceMs: Int64 = 900_000
    private static let dayMs: Int64 = 86_400_000
    /// The longest time that is computed, a week.
    ///
    /// Of a longer one the last week counts, for a room has forgotten by then what was before.
    private static let longestMs = 7 * dayMs

    /// The temperature in 10⁻⁷ °C.
    private var temperature: Int32
    /// The humidity ratio in 2·10⁻¹⁰ kg/kg, 30 bits; below it the duty, 2 bits.
    private var moistureAndDuty: UInt32

    /// A room of that temperature and humidity ratio, within ``RoomAir``'s bounds, whose compressor is idle.
    init(celsius: Double, humidityRatio: Double) {
        self.init(RoomAir(celsius: celsius, humidityRatio: humidityRatio, duty: .idle))
    }

    /// A room that has been left alone for long: as it is on the average of a day.
    init(settledIn room: Room, under outdoors: Outdoors) {
        let mean = Surroundings(meanOf: room, under: outdoors)
        let celsius = mean.celsius + room.resistanceKelvinPerWatt * mean.gainWatts
        let ratio = mean.humidityRatio + mean.vapourKgPerSecond / room.freshAirKgPerSecond
        self.init(celsius: celsius, humidityRatio: min(ratio, MoistAir.saturatedRatio(celsius: celsius)))
    }

    /// The same room, where an air conditioner that heats or cools has been set so for long.
    init(settledIn room: Room, under outdoors: Outdoors, set state: ACState) {
        self.init(settledIn: room, under: outdoors)
        let thermostat = Thermostat(state, hysteresisKelvin: room.hysteresisKelvin)
        let kept = celsius.clamped(
            to: (thermostat.heatingCelsius ?? -.infinity)...(thermostat.coolingCelsius ?? .infinity))
        guard kept != celsius else { return }
        let saturated = MoistAir.saturatedRatio(celsius: kept)
        self.init(celsius: kept, humidityRatio: min(humidityRatio, saturated))
    }

    private init(_ air: RoomAir) {
        let celsius = air.celsius.clamped(to: RoomAir.celsiusBounds)
        let ratio = air.humidityRatio.clamped(to: RoomAir.ratioBounds)
        temperature = Int32((celsius * 1e7).rounded())
        moistureAndDuty = UInt32((ratio * 5e9).rounded()) << 2 | UInt32(air.duty.rawValue)
    }

    /// The temperature, -60 to 90 °C.
    var celsius: Double { Double(temperature) / 1e7 }
    /// The humidity ratio, 0 to 0.16 kg/kg.
    var humidityRatio: Double { Double(moistureAndDuty >> 2) / 5e9 }
    /// The relative humidity, 0 to 100 %.
    var relativeHumidityPercent: Double {
        MoistAir.relativeHumidityPercent(celsius: celsius, ratio: humidityRatio)
    }
    /// What the compressor does.
    var duty: Duty { Duty(rawValue: UInt8(moistureAndDuty & 3)) ?? .idle }

    /// Lets time pass, in whole milliseconds, with the air conditioner set to one state throughout.
    ///
    /// However it is cut into steps the outcome is the same, but for rounding; the work is bounded, 673
    /// slices at most, and allocates nothing.
    ///
    /// - Parameters:
    ///   - duration: how long, zero or more; no time changes nothing.
    ///   - timeOfDay: when it begins, since any midnight.
    mutating func advance(
        by duration: Duration, from timeOfDay: Duration, in room: Room, under outdoors: Outdoors,
        set state: ACState
    ) {
        precondition(duration >= .zero, "a room's time does not go back")
        let wholeMs = duration.wholeMilliseconds
        var leftMs = min(wholeMs, Self.longestMs)
        let startMs = timeOfDay.wholeMilliseconds % Self.dayMs + (wholeMs - leftMs) % Self.dayMs
        var clockMs = (startMs + Self.dayMs) % Self.dayMs
        var air = RoomAir(celsius: celsius, humidityRatio: humidityRatio, duty: duty)
        while leftMs > 0 {
            let passedMs = clockMs % Self.sliceMs
            let partMs = min(leftMs, Self.sliceMs - passedMs)
            let middle = Double(clockMs - passedMs + Self.sliceMs / 2) / 1_000
            let around = Surroundings(of: room, under: outdoors, atSecondOfDay: middle)
            air.advance(by: Double(partMs) / 1_000, in: room, among: around, set: state)
            clockMs = (clockMs + partMs) % Self.dayMs
            leftMs -= partMs
        }
        self = RoomClimate(air)
    }
}

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

/// When an air conditioner's compressor starts and stops: two set points, each with the same hysteresis.
struct Thermostat: Sendable {
    /// How far apart `auto` keeps the set points of cooling and heating, in kelvin.
    static let deadBandKelvin = 2.0

    /// What it cools down to; nil where it does not cool.
    let coolingCelsius: Double?
    /// What it heats up to; nil where it does not heat.
    let heatingCelsius: Double?
    /// Half the distance between starting and stopping.
    let halfHysteresisKelvin: Double

    /// The thermostat of an air conditioner that is set so.
    init(_ state: ACState, hysteresisKelvin: Double) {
        let target = state.targetCelsius
        var (cooling, heating): (Double?, Double?) = (nil, nil)
        if state.isOn {
            switch state.mode {
            case .cool, .dry: cooling = target
            case .heat: heating = target
            case .auto:
                cooling = target + Self.deadBandKelvin / 2
                heating = target - Self.deadBandKelvin / 2
            case .fan: break
            }
        }
        coolingCelsius = cooling
        heatingCelsius = heating
        halfHysteresisKelvin = hysteresisKelvin / 2
    }

    /// The duty at a temperature, after another: at a limit, what follows it.
    func duty(after duty: Duty, at celsius: Double) -> Duty {
        if let coolingCelsius {
            let isStarted = duty == .cooling && celsius > coolingCelsius - halfHysteresisKelvin
            if isStarted || celsius >= coolingCelsius + halfHysteresisKelvin { return .cooling }
        }
        if let heatingCelsius {
            let isStarted = duty == .heating && celsius < heatingCelsius + halfHysteresisKelvin
            if isStarted || celsius <= heatingCelsius - halfHysteresisKelvin { return .heating }
        }
        return .idle
    }

    /// The temperature at which a duty ends while the room gets warmer or colder; nil where it goes on.
    func limit(of duty: Duty, isWarming: Bool) -> Double? {
        switch (duty, isWarming) {
        case (.idle, true): coolingCelsius.map { $0 + halfHysteresisKelvin }
        case (.idle, false): heatingCelsius.map { $0 - halfHysteresisKelvin }
        case (.cooling, false): coolingCelsius.map { $0 - halfHysteresisKelvin }
        case (.heating, true): heatingCelsius.map { $0 + halfHysteresisKelvin }
        case (.cooling, true), (.heating, false): nil
        }
    }
}
