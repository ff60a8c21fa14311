/// What an air conditioner's compressor does right now.
enum Duty: UInt8, CaseIterable, Hashable, Sendable {
    /// It stands still.
    case idle
    /// It takes heat out of the room, and water where the air is moist enough.
    case cooling
    /// It brings heat into the room.
    case heating
}
