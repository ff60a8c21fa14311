/// Why bytes are no recording, or none that this program can read.
public enum RecordingDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// They do not begin as one.
    case notRecording
    /// A newer program has written them.
    case newerFormat(UInt32)
    /// A block there is not as it was written, and whole ones come after it: that is no torn end.
    case damaged(byte: Int)
    /// A block there is whole, and has something in it that cannot be.
    case malformed(byte: Int, reason: String)

    /// What is wrong.
    public var description: String {
        switch self {
        case .notRecording: "it does not begin as a recording"
        case .newerFormat(let number):
            "its format is \(number), and this program reads up to \(RecordingFormat.number)"
        case .damaged(let byte): "it is damaged at byte \(byte), and goes on behind that"
        case .malformed(let byte, let reason): "at byte \(byte) is what cannot be: \(reason)"
        }
    }
}
