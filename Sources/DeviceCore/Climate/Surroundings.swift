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
