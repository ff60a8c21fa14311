/// Why bytes are no node's memory, or none that this program can read.
public enum MemoryDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// They do not begin as one.
    case notMemory
    /// A newer program has written them.
    case newerFormat(UInt32)
    /// A frame there is not as it was written, and whole ones come after it: that is no torn end.
    case damaged(byte: Int)
    /// A frame there is whole, and has something in it that cannot be.
    case malformed(byte: Int, reason: String)
    /// It ends before a place up to which it was written, and not where a frame ends.
    case lostEnd(byte: UInt64, written: UInt64)
    /// It is not the note of how far a memory goes.
    case notWitness(reason: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .notMemory: "it does not begin as a node's memory"
        case .newerFormat(let number):
            "its format is \(number), and this program reads up to \(MemoryFormat.number)"
        case .damaged(let byte): "it is damaged at byte \(byte), and goes on behind that"
        case .malformed(let byte, let reason): "at byte \(byte) is what cannot be: \(reason)"
        case .lostEnd(let byte, let written): "it is whole up to byte \(byte), and was up to \(written)"
        case .notWitness(let reason): "it does not say how far a node's memory goes: \(reason)"
        }
    }
}
