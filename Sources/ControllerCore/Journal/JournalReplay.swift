import FileFraming
import FleetProtocol
public import FleetTime

/// What a journal, or a part of it, says batch after batch: which requests are open, how others ended, and
/// the horizon.
///
/// It is read before anybody is served, so this is made to be fast: what ended is put where it will stay, and
/// nothing that most entries share, an account or an address, is made anew.
public struct JournalReplay: Sendable {
    /// A request that has not ended.
    struct Open: Sendable {
        var request: RequestRecord
        var dispatch: DispatchRecord?
        var isCancelled = false
        /// Its place in the order of arrival.
        let place: Int
    }

    /// Whose requests there are; a key's account is a place here.
    private(set) var accounts: [AccountID] = []
    private var accountPlaces: [AccountID: Int] = [:]
    private var lastAccount: Int?
    private var openRequests: [RequestKey: Open] = [:]
    /// What has ended, each at the place of its key in ``endedKeys``.
    private(set) var ended = Pages<EndedRequests.Entry>()
    private(set) var endedKeys: [RequestKey] = []
    /// Requests that ended because later batches may be lost; no logbook has them yet.
    private(set) var endedByLoss: [RequestRecord] = []
    /// The horizon of all accounts, if there is one.
    private(set) var horizon: WallTime?
    /// The newest id time that was forgotten of each account.
    private(set) var horizons: [AccountID: WallTime] = [:]
    /// The segment that is being read: the newest, when all were.
    public internal(set) var segment = 1
    /// Segments before this one are not needed.
    private(set) var firstNeeded = 1
    /// An id up to this time may have ended in what is still to be read; nil when nothing is.
    public internal(set) var unreadUpTo: WallTime?
    private var places = 0
    private var reader = BatchReader()

    /// What an empty journal says.
    public init() {}

    /// A part that begins where another ends, so that no batch is missing in between.
    public init(after part: JournalReplay) {
        reader = part.reader
    }

    /// Requests that have not ended, in the order of their arrival.
    var open: [Open] { openRequests.values.sorted { $0.place < $1.place } }

    /// How many have not ended.
    public var openCount: Int { openRequests.count }

    /// How many ends the journal has.
    public var endedCount: Int { endedKeys.count }

    /// The batch that was read last; nil before the first, and while none is linked.
    var lastBatch: BatchLink? { reader.last }

    /// Every request that has not ended, in the order of arrival, and every horizon, as entries.
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

    /// Accepts that later batches may be lost, and applies what follows from that.
    ///
    /// A request that waits by the batches that are left may have been sent and carried out since, under a
    /// sequence that they do not name: it ends as undetermined. One that they know as sent is asked for.
    ///
    /// - Parameter time: Ids up to this time are too old from now on where they are not known.
    /// - Returns: The entries for the journal.
    mutating func acceptLoss(upTo time: WallTime, at now: WallTime) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        for open in open where open.dispatch == nil {
            let request = open.request
            let report = OutcomeReport(
                requestID: request.requestID, device: request.content.device,
                outcome: .undetermined(.superseded), actor: request.actor,
                command: request.content.kind.kind,
                timing: OutcomeReport.Timing(totalUs: request.arrivedAt.duration(to: now).wholeMicroseconds))
            endedByLoss.append(request)
            entries.append(.ended(request.account, report, content: request.content, at: now))
        }
        if horizon.map({ $0 < time }) ?? true { entries.append(.horizonRaised(time)) }
        for entry in entries { apply(entry) }
        return entries
    }

    /// Checks that a segment was read from its first batch to its last, with this part as the end.
    ///
    /// - Throws: `damaged` where batches are missing.
    public func checkWhole(_ segment: JournalSegment) throws(StorageError) {
        guard let last = segment.lastBatch else { return }
        guard reader.firstNumber == segment.firstBatch, reader.last == last else {
            throw .damaged(path: "segment \(segment.number)", what: "batches are missing")
        }
    }

    /// Takes the next batch of a segment that is read for its ends alone.
    ///
    /// - Throws: `damaged` when it is not what was written, or does not follow the batch before.
    public mutating func recall(_ batch: ArraySlice<UInt8>, of segment: Int) throws(StorageError) {
        try take(batch, of: segment) { replay, entry in
            if case .ended = entry { replay.apply(entry) }
        }
    }

    /// Takes the next batch of a segment.
    ///
    /// - Throws: `damaged` when it is not what was written, or does not follow the batch before.
    mutating func take(_ batch: ArraySlice<UInt8>, of segment: inout JournalSegment) throws(StorageError) {
        try take(batch, of: segment.number) { replay, entry in
            if case .ended(_, let report, _, let time) = entry {
                segment.noteEnd(of: report.requestID, at: time)
            }
            replay.apply(entry)
        }
        if let last = reader.last { segment.note(last) }
    }

    private mutating func take(
        _ batch: ArraySlice<UInt8>, of segment: Int,
        _ body: (inout JournalReplay, JournalEntry) -> Void
    ) throws(StorageError) {
        // Not in its place while it reads: what it reads changes all the rest.
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

    /// Takes the next entry; one that says again what is known changes nothing.
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
                    report: report, content: content, endedAt: time, segment: Int32(clamping: segment)))
            endedKeys.append(key)
        case .horizonRaised(let time, of: nil):
            horizon = max(horizon ?? time, time)
        case .horizonRaised(let time, of: let account?):
            horizons[account] = max(horizons[account] ?? time, time)
        case .segmentsForgotten(let number):
            firstNeeded = max(firstNeeded, number)
        case .segmentBegan: break
        }
    }

    private mutating func enter(_ request: RequestRecord, _ change: (inout Open) -> Void) {
        places += 1
        let key = key(request.account, request.requestID)
        change(&openRequests[key, default: Open(request: request, place: places)])
    }

    /// The key of a request; its account is mostly the one that was there last.
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
