import Glibc

/// The weather around a fleet: the same every day.
///
/// The temperature is a sinusoid; the dew point stays, as it nearly does on a day without fronts, so
/// the relative humidity falls when it gets warm.
public struct Outdoors: Hashable, Sendable {
    /// The dew points that there can be, °C.
    static let dewPointBounds = -60.0...40.0

    /// The mean temperature of the day, -50 to 55 °C.
    public let meanCelsius: Double
    /// How far the temperature goes above and below the mean, 0 to 25 K.
    public let halfSwingKelvin: Double
    /// The hour of the highest temperature, 0 to 24.
    public let hottestHour: Double
    /// The temperature below which water would condense, -60 to 40 °C.
    public let dewPointCelsius: Double

    /// A hot, humid day: 22 to 34 °C.
    public static let summer = Outdoors(meanCelsius: 28, halfSwingKelvin: 6, dewPointCelsius: 19)
    /// A mild winter's day: -1 to 7 °C.
    public static let winter = Outdoors(meanCelsius: 3, halfSwingKelvin: 4, dewPointCelsius: -1)

    /// The weather of those values, all within their bounds.
    public init(
        meanCelsius: Double, halfSwingKelvin: Double, hottestHour: Double = 15, dewPointCelsius: Double
    ) {
        precondition((-50...55).contains(meanCelsius), "the mean of a day is -50 to 55 °C")
        precondition((0...25).contains(halfSwingKelvin), "half the swing of a day is 0 to 25 K")
        precondition((0...24).contains(hottestHour), "the hottest hour is 0 to 24")
        precondition(Self.dewPointBounds.contains(dewPointCelsius), "a dew point is -60 to 40 °C")
        self.meanCelsius = meanCelsius
        self.halfSwingKelvin = halfSwingKelvin
        self.hottestHour = hottestHour
        self.dewPointCelsius = dewPointCelsius
    }

    /// The temperature that many seconds after midnight, in °C.
    public func celsius(atSecondOfDay second: Double) -> Double {
        meanCelsius + halfSwingKelvin * cos(2 * .pi * (second / 3_600 - hottestHour) / 24)
    }

    /// The humidity ratio that many seconds after midnight, in kg/kg; dew falls where it is colder than the
    /// dew point.
    func humidityRatio(atSecondOfDay second: Double) -> Double {
        MoistAir.saturatedRatio(celsius: min(dewPointCelsius, celsius(atSecondOfDay: second)))
    }
}

extension Outdoors {
    /// The weather of a scenario: its humidity holds at the mean temperature, and the dew point stays.
    init(_ weather: Scenario.Weather) {
        let dewPoint = MoistAir.dewPointCelsius(
            celsius: weather.meanCelsius, relativeHumidityPercent: weather.humidityPercent)
        self.init(
            meanCelsius: weather.meanCelsius, halfSwingKelvin: weather.swingKelvin,
            hottestHour: Double(weather.hottest.secondOfDay) / 3_600,
            dewPointCelsius: dewPoint.clamped(to: Self.dewPointBounds))
    }
}

/// What acts on a room besides its air conditioner, for a quarter of an hour.
struct Surroundings {
    /// The temperature outside.
    let celsius: Double
    /// The humidity ratio outside, in kg/kg.
    let humidityRatio: Double
    /// The heat of people and devices.
    let gainWatts: Double
    /// The vapour that people give off, in kg/s.
    let vapourKgPerSecond: Double

    /// The surroundings of a room that many seconds after midnight.
    init(of room: Room, under outdoors: Outdoors, atSecondOfDay second: Double) {
        self.init(
            celsius: outdoors.celsius(atSecondOfDay: second),
            humidityRatio: outdoors.humidityRatio(atSecondOfDay: second),
            people: room.occupancy.people(atSecondOfDay: second), in: room)
    }

    /// The surroundings of a room on the average of a day.
    init(meanOf room: Room, under outdoors: Outdoors) {
        self.init(
            celsius: outdoors.meanCelsius,
            humidityRatio: MoistAir.saturatedRatio(
                celsius: min(outdoors.dewPointCelsius, outdoors.meanCelsius)),
            people: room.occupancy.meanPeople, in: room)
    }

    private init(celsius: Double, humidityRatio: Double, people: Double, in room: Room) {
        self.celsius = celsius
        self.humidityRatio = humidityRatio
        gainWatts = room.deviceWatts + people * Occupancy.personWatts
        vapourKgPerSecond = people * Occupancy.personLatentWatts / MoistAir.latentHeatJoulesPerKg
    }
}

/// Who is in a room: as many people every day, from an hour on and for some hours.
struct Occupancy: Hashable, Sendable {
    /// The heat of one who sits and does little, without that of the vapour (ASHRAE Fundamentals 2013,
    /// chapter 18, table 1).
    static let personWatts = 70.0
    /// The heat in the vapour of one who sits and does little (the same table).
    static let personLatentWatts = 45.0

    /// How many people.
    let people: UInt8
    /// The hour at which they come, 0 to 24.
    let fromHour: Double
    /// How many hours they stay, 0 to 24, over midnight where it gets late.
    let hours: Double

    /// The occupancy of those values.
    init(people: UInt8, fromHour: Double, hours: Double) {
        precondition((0...24).contains(fromHour) && (0...24).contains(hours), "a day has 24 hours")
        self.people = people
        self.fromHour = fromHour
        self.hours = hours
    }

    /// How many people are there that many seconds after midnight, 0 to 86,400.
    func people(atSecondOfDay second: Double) -> Double {
        let hour = second / 3_600
        let since = hour < fromHour ? hour + 24 - fromHour : hour - fromHour
        return since < hours ? Double(people) : 0
    }

    /// How many people are there on the average of a day.
    var meanPeople: Double { Double(people) * hours / 24 }
}

/// What an air conditioner's compressor does right now.
enum Duty: UInt8, CaseIterable, Hashable, Sendable {
    /// It stands still.
    case idle
    /// It takes heat out of the room, and water where the air is moist enough.
    case cooling
    /// It brings heat into the room.
    case heating
}
