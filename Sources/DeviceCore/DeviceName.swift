/// Names that people give to rooms: `Bedroom 7`.
enum DeviceName {
    private static let rooms = [
        "Bedroom", "Living Room", "Kitchen", "Office", "Nursery", "Studio", "Dining Room", "Hall", "Attic",
        "Guest Room",
    ]

    /// The name of the device of that index over the whole fleet: no two are the same.
    static func derived(fromIndex index: UInt64) -> String {
        let count = UInt64(rooms.count)
        return "\(rooms[Int(index % count)]) \(index / count + 1)"
    }
}
