/// The figures of one kind of request in a load of several kinds.
public struct KindFigures: Codable, Equatable, Sendable {
    /// The kind.
    public let kind: LoadRequestKind
    /// The number of requests.
    public let count: Int
    /// The number of requests by result, as in ``LoadResult/Counts/outcomes``.
    public let outcomes: [String: Int]
    /// The time from the due time of a request to its reply, for requests that were carried out; for
    /// cancelled toggles, the time from sending the cancel to its reply.
    public let latencyUs: LatencyFigures

    /// The results in words, the most frequent first.
    public var outcomeText: String {
        outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }
}

struct KindRecord: Sendable {
    var outcomes = OutcomeCounts()
    var latency = LatencyRecord()

    /// The figures of the kind.
    ///
    /// - Parameter cancel: The times to the replies of cancels.
    func figures(of kind: LoadRequestKind, cancel: LatencyRecord) -> KindFigures {
        KindFigures(
            kind: kind, count: outcomes.counts.values.reduce(0, +), outcomes: outcomes.counts,
            latencyUs: kind == .cancel ? cancel.figures : latency.figures)
    }

    /// The record in a compact form.
    func recorded(as kind: LoadRequestKind) -> RecordedKind {
        RecordedKind(kind: kind, outcomes: outcomes.counts, latency: latency.recorded)
    }

    /// Adds the requests of a tester.
    ///
    /// - Throws: ``PlanError`` if they cannot be read.
    mutating func add(_ other: RecordedKind) throws(PlanError) {
        try outcomes.add(other.outcomes)
        try latency.add(other.latency)
    }
}

/// The requests of one kind in a compact form, which can be sent to another process.
struct RecordedKind: Codable, Sendable {
    let kind: LoadRequestKind
    let outcomes: [String: Int]
    let latency: RecordedLatencies
}

/// The number of requests by result.
struct OutcomeCounts: Sendable {
    /// The largest number of different results; a gateway's answers can have any word.
    static let limit = 64
    /// The name under which requests with further results are counted together.
    static let others = "other"

    private(set) var counts: [String: Int] = [:]

    /// No requests; allocates memory for those to come.
    init() { counts.reserveCapacity(Self.limit) }

    /// Counts requests by their result; beyond the limit of different results, as others.
    mutating func count(_ word: String, times number: Int = 1) {
        let isCounted = counts[word] != nil || counts.count < Self.limit - 1
        counts[isCounted ? word : Self.others, default: 0] += number
    }

    /// Adds the counts of a tester.
    ///
    /// - Throws: ``PlanError`` if they cannot be read.
    mutating func add(_ other: [String: Int]) throws(PlanError) {
        for (word, number) in other.sorted(by: { $0.key < $1.key }) {
            guard word.utf8.count <= 32, word.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                throw PlanError("a tester's outcomes cannot be read")
            }
            count(word, times: try LoadTotals.checked(number))
        }
    }
}
