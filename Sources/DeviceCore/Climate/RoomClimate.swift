import FleetProtocol

/// The temperature and humidity of a room and the duty of its compressor, in eight bytes.
///
/// Temperature and humidity ratio are stored much finer than pods measure, so that rounding does not swallow
/// slow drifts. Stored in hundredths of a degree and advanced every 90 s, a room would ignore any change
/// below 0.2 K an hour.
struct RoomClimate: Hashable, Sendable {
    /// The time for which weather and people are taken as constant; the slices begin at midnight.
    private static let sliceMs: Int64 = 900_000
    private static let dayMs: Int64 = 86_400_000
    /// The longest time that is computed, a week. Of a longer time only the last week is computed: a room's
    /// climate no longer depends on what was before.
    private static let longestMs = 7 * dayMs

    /// The temperature in 10⁻⁷ °C.
    private var temperature: Int32
    /// The humidity ratio in 2·10⁻¹⁰ kg/kg, 30 bits; below it the duty, 2 bits.
    private var moistureAndDuty: UInt32

    /// A room of a temperature and a humidity ratio, clamped to ``RoomAir``'s bounds, with an idle
    /// compressor.
    init(celsius: Double, humidityRatio: Double) {
        self.init(RoomAir(celsius: celsius, humidityRatio: humidityRatio, duty: .idle))
    }

    /// A room in equilibrium with the mean weather and occupancy of a day, without its air conditioner.
    init(settledIn room: Room, under outdoors: Outdoors) {
        let mean = Surroundings(meanOf: room, under: outdoors)
        let celsius = mean.celsius + room.resistanceKelvinPerWatt * mean.gainWatts
        let ratio = mean.humidityRatio + mean.vapourKgPerSecond / room.freshAirKgPerSecond
        self.init(celsius: celsius, humidityRatio: min(ratio, MoistAir.saturatedRatio(celsius: celsius)))
    }

    /// The same room, with its temperature limited to the set points of its air conditioner's state.
    init(settledIn room: Room, under outdoors: Outdoors, set state: ACState) {
        self.init(settledIn: room, under: outdoors)
        let thermostat = Thermostat(state, hysteresisKelvin: room.hysteresisKelvin)
        let bounded = celsius.clamped(
            to: (thermostat.heatingCelsius ?? -.infinity)...(thermostat.coolingCelsius ?? .infinity))
        guard bounded != celsius else { return }
        let saturated = MoistAir.saturatedRatio(celsius: bounded)
        self.init(celsius: bounded, humidityRatio: min(humidityRatio, saturated))
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
    var duty: Duty { Duty(rawValue: UInt8(moistureAndDuty & 3)) ?? .idle }

    /// Advances the climate by a time in whole milliseconds, with a constant state of the air conditioner.
    /// The result does not depend on how the time is divided into calls, except for rounding. A call computes
    /// at most 673 slices and allocates nothing. The time of day is measured from any midnight.
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

/// The rooms of a node's devices and their climates: eight bytes a device.
///
/// A room's climate is computed when its pod measures, for the time since the previous measurement. The
/// computation uses the air conditioner's current state for all of that time. Rooms are not persisted: a
/// restarted node begins with rooms in equilibrium.
struct Rooms: Sendable {
    /// Separates the random stream of the RSSI from the others of the same seed.
    private static let purpose: UInt64 = 0x7273_7369

    private let seed: UInt64
    private let firstIndex: UInt64
    private var outdoors: Outdoors
    /// The simulated time of day at which the node's run of the scenario began.
    private var startMs: Int64
    private var climates: [RoomClimate]
    private(set) var round: MeasuringRound

    /// The rooms of a node that starts, at the simulated time of day now. A room that its air conditioner
    /// would heat or cool begins at the set point.
    init(of configuration: NodeConfiguration, from timeOfDay: Scenario.TimeOfDay, set states: [ACState]) {
        seed = configuration.seed
        firstIndex = configuration.firstIndex
        startMs = Int64(timeOfDay.secondOfDay) * 1_000
        let outdoors = Outdoors(configuration.scenario.weather)
        self.outdoors = outdoors
        round = MeasuringRound(of: configuration.devices)
        climates = states.enumerated().map { slot, state in
            let room = Room(fleetSeed: configuration.seed, index: configuration.firstIndex + UInt64(slot))
            return RoomClimate(settledIn: room, under: outdoors, set: state)
        }
    }

    /// Switches to another scenario, which begins now: its weather, its time of day, and a first round. The
    /// time since each pod's last measurement, up to one round, is not computed.
    mutating func begin(_ scenario: Scenario, from timeOfDay: Scenario.TimeOfDay) {
        startMs = Int64(timeOfDay.secondOfDay) * 1_000
        outdoors = Outdoors(scenario.weather)
        round = MeasuringRound(of: climates.count)
    }

    mutating func truncate(_ remaining: Int) {
        guard remaining < climates.count else { return }
        climates.removeLast(climates.count - remaining)
        round.truncate(remaining)
    }

    /// The slot of the next pod to measure; nil when it is not due at that simulated time.
    func slotDue(atMs nowMs: Int64) -> Int? { !round.isEmpty && round.dueMs <= nowMs ? round.place : nil }

    /// Computes the next room up to the time at which its pod is due, and returns the pod's measurements.
    mutating func measureNext(atMs nowMs: Int64, _ state: ACState) -> Measurements {
        let (slot, dueMs, lastMs) = (round.place, round.dueMs, round.lastMs)
        let room = room(of: slot)
        climates[slot].advance(
            by: .milliseconds(dueMs - lastMs), from: .milliseconds(startMs + lastMs), in: room,
            under: outdoors, set: state)
        let measurements = measurements(of: slot, in: room, atMs: dueMs)
        round.advance(atMs: nowMs)
        return measurements
    }

    /// The measurements of a device's pod at its room's last computed climate.
    func measurements(of slot: Int) -> Measurements {
        measurements(of: slot, in: room(of: slot), atMs: round.dueMs)
    }

    /// Gives a room other air; a value that is nil stays.
    mutating func setAir(of slot: Int, celsius: Double?, humidityPercent: Double?) {
        let celsius = celsius ?? climates[slot].celsius
        let percent = humidityPercent ?? climates[slot].relativeHumidityPercent
        climates[slot] = RoomClimate(
            celsius: celsius,
            humidityRatio: MoistAir.ratio(celsius: celsius, relativeHumidityPercent: percent))
    }

    private func measurements(of slot: Int, in room: Room, atMs time: Int64) -> Measurements {
        var generator = SeededGenerator.derived(
            seed: seed ^ Self.purpose, purpose: (firstIndex + UInt64(slot)) ^ UInt64(time) << 20)
        return Measurements(of: climates[slot], in: room, using: &generator)
    }

    private func room(of slot: Int) -> Room { Room(fleetSeed: seed, index: firstIndex + UInt64(slot)) }
}

/// The rule by which a compressor starts and stops: two set points with the same hysteresis.
struct Thermostat: Sendable {
    /// The distance between the set points of cooling and heating in `auto`, in kelvin.
    static let deadBandKelvin = 2.0

    /// The set point of cooling; nil if the state does not cool.
    let coolingCelsius: Double?
    /// The set point of heating; nil if the state does not heat.
    let heatingCelsius: Double?
    /// Half the difference between the temperatures at which the compressor starts and stops.
    let halfHysteresisKelvin: Double

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

    /// The duty at a temperature, given the duty before; on a limit, the duty that follows it.
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

    /// The temperature at which a duty ends in a warming or cooling room; nil if it does not end.
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
