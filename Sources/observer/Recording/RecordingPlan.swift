/// The path and the size limits of a recording.
struct RecordingPlan: Sendable {
    /// The path of the current file; earlier ones have the suffixes `.1`, `.2`, ….
    let path: String
    /// The maximum size of a file in bytes.
    let fileLimit: Int
    /// The number of files to retain, including the current one.
    let keep: Int
    /// The account of the devices; empty before the first log-in.
    let account: String
    /// 64 random bits.
    let seed: UInt64

    /// Returns the path of a file: 0 is the current one, 1 the previous one.
    static func path(_ path: String, number: Int) -> String { number == 0 ? path : "\(path).\(number)" }
}
