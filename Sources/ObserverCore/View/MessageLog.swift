/// The newest messages, oldest first; when full, the oldest goes.
struct MessageLog: Sendable {
    /// How many are kept.
    static let limit = 500

    private var ring: [EventLine] = []
    private var oldest = 0

    var count: Int { ring.count }

    mutating func append(_ line: EventLine) {
        if ring.count < Self.limit {
            ring.append(line)
        } else {
            ring[oldest] = line
            oldest = (oldest + 1) % Self.limit
        }
    }

    /// The newest of them, at most that many, oldest first.
    func newest(_ count: Int) -> [EventLine] {
        let shown = min(max(0, count), ring.count)
        return (ring.count - shown..<ring.count).map { ring[(oldest + $0) % ring.count] }
    }
}
