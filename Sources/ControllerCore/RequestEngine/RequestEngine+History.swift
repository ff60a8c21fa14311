public import FleetProtocol

/// A request that a device has judged and the journal does not have: the journal is that of an earlier time.
public struct HistoryLoss: Hashable, Sendable {
    public let account: AccountID
    /// The node whose device has judged the request.
    public let node: NodeName
    public let request: RequestID
    /// Unknown requests of the account with IDs up to this time are refused.
    public let upTo: WallTime
}

/// The comparison of the journal with the requests that nodes name in their hellos.
struct HistoryComparison: Sendable {
    /// A request that may be among outcomes that are not read yet, with its node.
    private struct Unread: Sendable {
        let key: RequestKey
        let node: NodeName
    }

    /// Requests to compare once all outcomes are read, at most those of every node; more are not compared,
    /// and count as known.
    private var unread: [Unread] = []
    private var losses: [HistoryLoss] = []

    mutating func postpone(_ key: RequestKey, of node: NodeName) {
        guard unread.count < Directory.nodesAtMost * Limits.judgedRequests else { return }
        unread.append(Unread(key: key, node: node))
    }

    mutating func drainUnread() -> [(key: RequestKey, node: NodeName)] {
        defer { unread = [] }
        return unread.map { ($0.key, $0.node) }
    }

    mutating func record(_ loss: HistoryLoss) { losses.append(loss) }

    mutating func drainLosses() -> [HistoryLoss] {
        guard !losses.isEmpty else { return [] }
        defer { losses = [] }
        return losses
    }
}

/// Recognizes a journal from an earlier time. A dispatch is journalled before its command leaves. So a
/// journal without a request that a device has judged is an older copy, and the requests that it lacks would
/// run again if they were repeated.
extension RequestEngine {
    /// Compares the first hello of a node since the start with the journal. No command has been sent to the
    /// node since then. Later hellos are not compared, so that a node cannot raise the horizon at will.
    mutating func compareHistory(
        with hello: NodeHello, of node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        guard !fleet.directory.nodes[node].hasShownHistory else { return }
        let (account, name) = (fleet.directory.nodes[node].account, fleet.directory.nodes[node].name)
        for id in hello.judgedRequests {
            compare(RequestKey(account: account, id: id), of: name, at: now, into: &effects)
        }
        fleet.directory.nodes[node].hasShownHistory = true
    }

    /// Compares the requests that may have been among outcomes that were not read.
    mutating func compareUnread(at now: Moment, into effects: inout Effects) {
        for (key, node) in history.drainUnread() { compare(key, of: node, at: now, into: &effects) }
    }

    private mutating func compare(
        _ key: RequestKey, of node: NodeName, at now: Moment, into effects: inout Effects
    ) {
        switch requests.memory(of: key) {
        case .known: return
        case .unread: return history.postpone(key, of: node)
        case .unknown: break
        }
        let horizon = requests.acceptLoss(of: key, at: now, in: &fleet, into: &effects)
        let account = fleet.directory.accounts[Int(key.account)].id
        history.record(HistoryLoss(account: account, node: node, request: key.id, upTo: horizon))
    }
}
