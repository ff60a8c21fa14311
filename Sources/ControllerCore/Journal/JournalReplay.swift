public import FleetProtocol

// Speed: see performance.md, "usual values".
/// The content of a journal or of a part of it: the open requests, the outcomes of ended ones, and the
/// horizons.
public struct JournalReplay: Sendable {
    struct Open: Sendable {
        var request: RequestRecord
        var dispatch: DispatchRecord?
        var isCancelled = false
        /// The place in the order of arrival.
        let place: Int
    }

    /// The accounts of the requests; the account of a key is an index of this list.
    private(set) var accounts: [AccountID] = []
    private var accountPlaces: [AccountID: Int] = [:]
    private var lastAccount: Int?
    private var openRequests: [RequestKey: Open] = [:]
    /// The ended requests, each at the place of its key in ``endedKeys``.
    private(set) var ended = Pages<EndedRequests.Entry>()
    private(set) var endedKeys: [RequestKey] = []
    /// Requests that ended because later batches may be lost; no logbook has them yet.
    private(set) var endedByLoss: [RequestRecord] = []
    /// The horizon of all accounts; nil before there is one.
    private(set) var horizon: WallTime?
    /// The horizon of each account: the newest ID time of its removed outcomes.
    private(set) var horizons: [AccountID: WallTime] = [:]
    /// The segment that is being read; the newest one after all are read.
    public internal(set) var segment = 1
    /// Segments before this one are not needed.
    private(set) var firstNeeded = 1
    private(set) var storePosition: StorePosition?
    /// Requests with IDs up to this time may have ended in an unread segment; nil if none is unread.
    public internal(set) var unreadUpTo: WallTime?
    private var places = 0
    private var reader = BatchReader()

    /// Creates the content of an empty journal.
    public init() {}

    /// Creates a part that begins where another ends, so that a missing batch in between is detected.
    public init(after part: JournalReplay) {
        reader = part.reader
    }

    /// The open requests, in the order of arrival.
    var open: [Open] { openRequests.values.sorted { $0.place < $1.place } }

    public var openCount: Int { openRequests.count }

    /// The number of ended requests in the journal.
    public var endedCount: Int { endedKeys.count }

    /// The last batch that was read; nil before the first.
    var lastBatch: BatchLink? { reader.last }

    /// All open requests, in the order of arrival, and all horizons, as entries.
    var openEntries: [JournalEntry] {
        var entries: [JournalEntry] = []
        for open in open {
            let request = open.request
            entries.append(open.dispatch.map { .dispatched(request, $0) } ?? .admitted(request))
            if open.isCancelled { entries.append(.cancelRequested(request.account, request.requestID)) }
        }
        if let horizon { entries.append(.horizonRaised(horizon)) }
        for (account, horizon) in horizons.sorted(by: { $0.key < $1.key }) {
            entries.append(.horizonRaised(horizon, of: account))
        }
        return entries
    }

    /// Accepts that later batches may be lost, and returns the entries of the consequences for the journal.
    ///
    /// A request that is queued in the remaining batches may have been dispatched and carried out since,
    /// under a command number that they do not have. So it ends as undetermined. For a request that they have
    /// as dispatched, the device is asked. Unknown IDs up to the time are refused as too old from now on.
    mutating func acceptLoss(upTo time: WallTime, at now: WallTime) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for open in open where open.dispatch == nil {
            let request = open.request
            let report = OutcomeReport(
                requestID: request.requestID, device: request.content.device,
                outcome: .undetermined(.superseded), user: request.user,
                command: request.content.kind.kind,
                timing: OutcomeReport.Timing(totalUs: request.arrivedAt.duration(to: now).wholeMicroseconds))
            endedByLoss.append(request)
            entries.append(.ended(request.account, report, content: request.content, at: now))
        }
        if horizon.map({ $0 < time }) ?? true { entries.append(.horizonRaised(time)) }
        for entry in entries { apply(entry) }
        return entries
    }

    /// Checks that a segment was read from its first batch to its last, which is the last of this part.
    public func checkWhole(_ segment: JournalSegment) throws(StorageError) {
        guard let last = segment.lastBatch else { return }
        guard reader.firstNumber == segment.firstBatch, reader.last == last else {
            throw .damaged(path: "segment \(segment.number)", what: "batches are missing")
        }
    }

    /// Reads the next batch of a segment, but applies only the ends of requests.
    public mutating func readEnds(_ batch: ArraySlice<UInt8>, of segment: Int) throws(StorageError) {
        try append(batch, of: segment) { replay, entry in
            if case .ended = entry { replay.apply(entry) }
        }
    }

    /// Reads and applies the next batch of a segment; throws `damaged` if it does not follow the previous
    /// one.
    mutating func append(_ batch: ArraySlice<UInt8>, of segment: inout JournalSegment) throws(StorageError) {
        try append(batch, of: segment.number) { replay, entry in
            if case .ended(_, let report, _, let time) = entry {
                segment.recordEnd(of: report.requestID, at: time)
            }
            replay.apply(entry)
        }
        if let last = reader.last { segment.record(last) }
    }

    private mutating func append(
        _ batch: ArraySlice<UInt8>, of segment: Int,
        _ body: (inout JournalReplay, JournalEntry) -> Void
    ) throws(StorageError) {
        // The reader is moved out, because its closure has exclusive access to the other properties.
        var reader = BatchReader()
        swap(&reader, &self.reader)
        defer { swap(&reader, &self.reader) }
        self.segment = segment
        do throws(RecordError) {
            try reader.read(batch) { body(&self, $0) }
        } catch {
            throw .damaged(path: "segment \(segment)", what: error.description)
        }
    }

    /// Applies the next entry; a repeated entry changes nothing.
    public mutating func apply(_ entry: JournalEntry) {
        switch entry {
        case .admitted(let request):
            enter(request) { _ in }
        case .dispatched(let request, let dispatch):
            enter(request) { $0.dispatch = dispatch }
        case .cancelRequested(let account, let id):
            openRequests[key(account, id)]?.isCancelled = true
        case .ended(let account, let report, let content, let time):
            let key = key(account, report.requestID)
            openRequests[key] = nil
            _ = ended.insert(
                EndedRequests.Entry(
                    report: report, content: content, endedAt: time, mayBeJudged: true,
                    segment: Int32(clamping: segment)))
            endedKeys.append(key)
        case .horizonRaised(let time, of: nil):
            horizon = max(horizon ?? time, time)
        case .horizonRaised(let time, of: let account?):
            horizons[account] = max(horizons[account] ?? time, time)
        case .segmentsRemoved(let number):
            firstNeeded = max(firstNeeded, number)
        case .segmentBegan: break
        case .storeReached(let position): storePosition = position
        }
    }

    private mutating func enter(_ request: RequestRecord, _ change: (inout Open) -> Void) {
        places += 1
        let key = key(request.account, request.requestID)
        change(&openRequests[key, default: Open(request: request, place: places)])
    }

    /// The key of a request; its account is usually that of the previous entry, which is checked first.
    private mutating func key(_ account: AccountID, _ id: RequestID) -> RequestKey {
        if let last = lastAccount, accounts[last] == account {
            return RequestKey(account: AccountIndex(last), id: id)
        }
        let place = accountPlaces[account] ?? accounts.count
        if place == accounts.count {
            accounts.append(account)
            accountPlaces[account] = place
        }
        lastAccount = place
        return RequestKey(account: AccountIndex(place), id: id)
    }
}
