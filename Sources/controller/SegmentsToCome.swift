import ControllerCore

/// Segments that were asked for ahead of time: which are being made, and which are there for whoever asked.
///
/// A segment is made once. Only want of room in making that very one has it made again: the second would
/// take the place of a file that is in use already.
struct SegmentsToCome<File> {
    private var asked: Set<Int> = []
    private var made: [Int: File] = [:]

    /// A segment if it is made, which is then whose asked; and whether it is to be made now.
    mutating func take(_ segment: Int) -> (file: File?, isToBeMade: Bool) {
        if let file = made.removeValue(forKey: segment) { return (file, false) }
        return (nil, asked.insert(segment).inserted)
    }

    /// A segment is there.
    mutating func noteMade(_ segment: Int, _ file: File) {
        made[segment] = file
    }

    /// There was no room to make a segment: whoever asks for it next has it made.
    mutating func noteNoRoom(for segment: Int) {
        asked.remove(segment)
    }

    /// Those that are there and that nobody has taken, in their order.
    mutating func takeLeft() -> [File] {
        defer { made = [:] }
        return made.sorted { $0.key < $1.key }.map(\.value)
    }
}
