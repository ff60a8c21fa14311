/// Where a recording goes, and how much of it is kept.
struct RecordingPlan: Sendable {
    /// The present file; earlier ones have `.1`, `.2`, … behind their names.
    let path: String
    /// Bytes in a file at most.
    let fileLimit: Int
    /// Files that are kept, the present one included.
    let keep: Int
    /// Whose devices they are; empty where nobody has logged in yet.
    let account: String
    /// 64 random bits.
    let seed: UInt64

    /// The name of a file: 0 is the present one, 1 the one before.
    static func path(_ path: String, number: Int) -> String {
        number == 0 ? path : "\(path).\(number)"
    }
}
