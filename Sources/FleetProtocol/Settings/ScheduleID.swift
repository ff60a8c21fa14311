/// A schedule's name for machines: 8 characters of `[A-Za-z0-9]`, made by whoever adds it.
///
/// It means something only within its device. Whoever repeats an addition under the same id adds nothing
/// more.
public struct ScheduleID: Hashable, Sendable, CustomStringConvertible {
    /// The rule is a device's, and so are its eight bytes.
    let characters: DeviceID

    /// The id that a text spells; nil when it is not eight letters or digits.
    public init?(_ text: some StringProtocol) {
        guard let characters = DeviceID(text) else { return nil }
        self.characters = characters
    }

    /// The id of those characters, the first in the highest byte; nil when they are not eight letters or
    /// digits.
    public init?(bits: UInt64) {
        guard let characters = DeviceID(bits: bits) else { return nil }
        self.characters = characters
    }

    /// The id that follows from random bits: one of 62⁸, so that two of one device's hardly ever meet.
    public init(randomBits bits: UInt64) {
        characters = DeviceID(fleetSeed: 0, index: bits)
    }

    /// The characters as a number, the first in the highest byte.
    public var bits: UInt64 { characters.bits }

    /// The eight characters.
    public var description: String { characters.description }
}
