import FleetProtocol
import Stepping

/// What a journal says, entry after entry: which requests are open, how the others ended, and the horizon.
public struct JournalReplay: Sendable {
    /// A request's identity, by the name of its account.
    struct Key: Hashable, Sendable {
        let account: AccountID
        let id: RequestID
    }

    /// A request that has not ended.
    struct Open: Sendable {
        var request: RequestRecord
        var dispatch: DispatchRecord?
        var isCancelled = false
        /// Its place in the order of arrival.
        let place: Int
    }

    private var openRequests: [Key: Open] = [:]
    private(set) var ended: [Key: EndedRequests.Entry] = [:]
    /// The newest id time ever forgotten; nil before the first was.
    private(set) var horizon: WallTime?
    private var places = 0

    /// What an empty journal says.
    public init() {}

    /// Requests that have not ended, in the order of their arrival.
    var open: [Open] { openRequests.values.sorted { $0.place < $1.place } }

    /// How many have not ended.
    public var openCount: Int { openRequests.count }

    /// How many have, and are remembered.
    public var endedCount: Int { ended.count }

    /// Takes the next entry; one that says again what is known changes nothing.
    public mutating func apply(_ entry: JournalEntry) {
        switch entry {
        case .admitted(let request):
            enter(request) { _ in }
        case .dispatched(let request, let dispatch):
            enter(request) { $0.dispatch = dispatch }
        case .cancelRequested(let account, let id):
            openRequests[Key(account: account, id: id)]?.isCancelled = true
        case .ended(let account, let report, let content, let time):
            let key = Key(account: account, id: report.requestID)
            openRequests[key] = nil
            ended[key] = EndedRequests.Entry(report: report, content: content, endedAt: time)
        case .horizonRaised(let time):
            horizon = max(horizon ?? time, time)
        }
    }

    private mutating func enter(_ request: RequestRecord, _ change: (inout Open) -> Void) {
        let key = Key(account: request.account, id: request.requestID)
        places += 1
        change(&openRequests[key, default: Open(request: request, place: places)])
    }
}
