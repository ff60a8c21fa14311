public import Stepping

/// What a recording's file has, and where, without the entries themselves.
public struct RecordingIndex: Sendable, Equatable {
    /// A place where a replay can begin.
    public struct Entrance: Sendable, Equatable {
        /// The first byte of its block.
        public let byte: Int
        /// When it was made.
        public let at: Moment
    }

    /// What the file begins with.
    public let start: RecordingStart
    /// Where a replay can begin: the file's first block, and each state behind it.
    public internal(set) var entrances: [Entrance]
    /// The moment of its last block.
    public internal(set) var lastAt: Moment
    /// The end of its last whole block.
    public internal(set) var endByte: Int
    /// Bytes behind that, which were not written whole; 0 mostly.
    public internal(set) var tornBytes = 0
}
