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
