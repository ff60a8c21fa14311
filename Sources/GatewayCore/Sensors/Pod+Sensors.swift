import FleetProtocol
import Stepping

extension Pod {
    /// The air quality in its room at a time; its state counts as the present one.
    func airQuality(at time: WallTime) -> AirQuality {
        AirQuality(
            in: SimulatedRoom(of: device), at: time, isPurified: model == .pure && state.isOn)
    }

    /// Sets the chance of an update apart from everything else that follows from an ID.
    private static let updatePurpose: UInt64 = 0x6677_7570

    /// The newest firmware there is for it: one pod in five has not installed the next one yet.
    ///
    /// The next one has the next number: `SKY30047` after `SKY30046`. A firmware without a number has
    /// no next one.
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

/// Where the phones of a location's people are: at home but for some hours of each day.
struct LocationPresence: Sendable {
    /// When all phones are away.
    private let absence: DailyHours
    /// The word for presence: the phone of the user who asks, or that of another.
    private let presentWord: String

    /// The presence at a location.
    init(at location: SiteID) {
        var letters: [UInt8] = []
        location.append(to: &letters)
        let bits = letters.reduce(UInt64(0)) { SeededGenerator.mixed($0 ^ UInt64($1)) }
        var generator = SeededGenerator(seed: bits)
        absence = DailyHours(
            fromHour: .random(in: 0..<24, using: &generator), hours: .random(in: 4...10, using: &generator))
        presentWord = generator.next() % 2 == 0 ? "me" : "someone"
    }

    /// The word in the `occupancy` of a location; `empty` is our choice.
    func word(at time: WallTime) -> String { absence.contains(time) ? "empty" : presentWord }
}
