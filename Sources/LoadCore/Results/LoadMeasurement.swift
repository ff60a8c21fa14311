/// What came of a load.
public struct LoadMeasurement: Sendable {
    /// What was measured.
    public let result: LoadResult
    /// Whether it is as good as was wanted, in the order of the objectives.
    public let verdicts: [ObjectiveVerdict]
    /// The latencies in the text format of HdrHistogram's tools (`.hgrm`), in milliseconds.
    public let percentileFile: String
}
