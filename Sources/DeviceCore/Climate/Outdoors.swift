import CMath

/// The weather around a fleet: the same every day. The temperature is a sinusoid. The dew point is constant,
/// as it nearly is on a day without fronts, so the relative humidity falls as the temperature rises.
struct Outdoors: Hashable, Sendable {
    /// The allowed dew points, °C.
    static let dewPointBounds = -60.0...40.0

    /// The mean temperature of the day, -50 to 55 °C.
    let meanCelsius: Double
    /// The amplitude of the temperature around the mean, 0 to 25 K.
    let halfSwingKelvin: Double
    /// The hour of the highest temperature, 0 to 24.
    let hottestHour: Double
    /// The temperature below which water would condense, -60 to 40 °C.
    let dewPointCelsius: Double

    /// A hot, humid day: 22 to 34 °C.
    static let summer = Outdoors(meanCelsius: 28, halfSwingKelvin: 6, dewPointCelsius: 19)
    /// A mild winter's day: -1 to 7 °C.
    static let winter = Outdoors(meanCelsius: 3, halfSwingKelvin: 4, dewPointCelsius: -1)

    /// The weather of those values; a value outside its bounds stops the process.
    init(meanCelsius: Double, halfSwingKelvin: Double, hottestHour: Double = 15, dewPointCelsius: Double) {
        precondition((-50...55).contains(meanCelsius), "the mean of a day is -50 to 55 °C")
        precondition((0...25).contains(halfSwingKelvin), "half the swing of a day is 0 to 25 K")
        precondition((0...24).contains(hottestHour), "the hottest hour is 0 to 24")
        precondition(Self.dewPointBounds.contains(dewPointCelsius), "a dew point is -60 to 40 °C")
        (self.meanCelsius, self.halfSwingKelvin) = (meanCelsius, halfSwingKelvin)
        (self.hottestHour, self.dewPointCelsius) = (hottestHour, dewPointCelsius)
    }

    /// The temperature at a number of seconds after midnight, in °C.
    func celsius(atSecondOfDay second: Double) -> Double {
        meanCelsius + halfSwingKelvin * cos(2 * .pi * (second / 3_600 - hottestHour) / 24)
    }

    /// The humidity ratio at a number of seconds after midnight, in kg/kg; air below the dew point is
    /// saturated.
    func humidityRatio(atSecondOfDay second: Double) -> Double {
        MoistAir.saturatedRatio(celsius: min(dewPointCelsius, celsius(atSecondOfDay: second)))
    }
}

extension Outdoors {
    /// The weather of a scenario, with the dew point of its relative humidity at the mean temperature.
    init(_ weather: Scenario.Weather) {
        let dewPoint = MoistAir.dewPointCelsius(
            celsius: weather.meanCelsius, relativeHumidityPercent: weather.humidityPercent)
        self.init(
            meanCelsius: weather.meanCelsius, halfSwingKelvin: weather.swingKelvin,
            hottestHour: Double(weather.hottest.secondOfDay) / 3_600,
            dewPointCelsius: dewPoint.clamped(to: Self.dewPointBounds))
    }
}

/// The influences on a room other than its air conditioner, constant over a slice of a quarter of an hour.
struct Surroundings {
    let celsius: Double
    /// The humidity ratio outside, in kg/kg.
    let humidityRatio: Double
    /// The heat of people and devices.
    let gainWatts: Double
    /// The vapour that people give off, in kg/s.
    let vapourKgPerSecond: Double

    init(of room: Room, under outdoors: Outdoors, atSecondOfDay second: Double) {
        self.init(
            celsius: outdoors.celsius(atSecondOfDay: second),
            humidityRatio: outdoors.humidityRatio(atSecondOfDay: second),
            people: room.occupancy.people(atSecondOfDay: second), in: room)
    }

    /// The surroundings of a room, averaged over a day.
    init(meanOf room: Room, under outdoors: Outdoors) {
        self.init(
            celsius: outdoors.meanCelsius,
            humidityRatio: MoistAir.saturatedRatio(
                celsius: min(outdoors.dewPointCelsius, outdoors.meanCelsius)),
            people: room.occupancy.meanPeople, in: room)
    }

    private init(celsius: Double, humidityRatio: Double, people: Double, in room: Room) {
        (self.celsius, self.humidityRatio) = (celsius, humidityRatio)
        gainWatts = room.deviceWatts + people * Occupancy.personWatts
        vapourKgPerSecond = people * Occupancy.personLatentWatts / MoistAir.latentHeatJoulesPerKg
    }
}

/// The people in a room: the same number every day, from one hour and for a number of hours.
struct Occupancy: Hashable, Sendable {
    /// The sensible heat of a seated person at light work, without the latent heat (ASHRAE Fundamentals 2013,
    /// chapter 18, table 1).
    static let personWatts = 70.0
    /// The latent heat of a seated person at light work (the same table).
    static let personLatentWatts = 45.0

    let people: UInt8
    /// The hour at which they arrive, 0 to 24.
    let fromHour: Double
    /// The hours that they stay, 0 to 24; a stay may extend past midnight.
    let hours: Double

    init(people: UInt8, fromHour: Double, hours: Double) {
        precondition((0...24).contains(fromHour) && (0...24).contains(hours), "a day has 24 hours")
        (self.people, self.fromHour, self.hours) = (people, fromHour, hours)
    }

    /// The number of people present at a number of seconds after midnight, 0 to 86,400.
    func people(atSecondOfDay second: Double) -> Double {
        let hour = second / 3_600
        let since = hour < fromHour ? hour + 24 - fromHour : hour - fromHour
        return since < hours ? Double(people) : 0
    }

    var meanPeople: Double { Double(people) * hours / 24 }
}

enum Duty: UInt8, CaseIterable, Hashable, Sendable {
    case idle
    /// The compressor removes heat from the room, and water if the air is moist enough.
    case cooling
    case heating
}
