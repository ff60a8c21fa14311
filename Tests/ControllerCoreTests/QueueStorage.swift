import FleetProtocol

@testable import ControllerCore

/// The store's copy of queue entries, returned at the next start.
struct QueueStorage {
    /// Batches of entries, in the order in which they were stored.
    private(set) var batches: [[QueueEntry]] = []

    /// The queues of all accounts.
    var commandQueues: [StoredQueues] {
        var reports: [AccountID: [RequestID: QueueReport]] = [:]
        var horizons: [AccountID: WallTime] = [:]
        for entry in batches.flatMap(\.self) {
            switch entry {
            case .stands(let account, let report): reports[account, default: [:]][report.id] = report
            case .removed(let account, let ids, let horizon):
                for id in ids { reports[account]?[id] = nil }
                horizons[account] = horizon
            }
        }
        return Set(reports.keys).union(horizons.keys).sorted().map { account in
            StoredQueues(
                account: account, reports: (reports[account] ?? [:]).values.sorted { $0.id < $1.id },
                horizon: horizons[account])
        }
    }

    mutating func store(_ entries: [QueueEntry]) {
        if !entries.isEmpty { batches.append(entries) }
    }

    /// The newest batch was not stored: the process ended before.
    mutating func lose() {
        batches.removeLast()
    }
}
