import FleetProtocol
import FleetTime

/// The services of accounts: logbooks, sites, rosters and command queues.
///
/// Each service is a machine with private state. It reads the engine through a ``ServiceContext``, returns
/// the reply to a request, and appends the changes that must be stored before the reply leaves.
struct AccountServices: Sendable {
    var logbook = LogbookService()
    var sites = SiteService()
    var rosters = RosterService()
    var commandQueues = CommandQueueService()

    /// Restores what was stored.
    mutating func restore(_ configuration: ControllerConfiguration, in directory: inout Directory) {
        for kept in configuration.logbooks {
            if let account = directory.accountMade(kept.account) { logbook.restore(kept, of: account) }
        }
        for kept in configuration.sites {
            if let account = directory.accountMade(kept.account) { sites.restore(kept, of: account) }
        }
        for kept in configuration.sequences {
            if let account = directory.accountMade(kept.account) { commandQueues.restore(kept, of: account) }
        }
        for kept in configuration.rosters {
            if let account = directory.accountMade(kept.account) { rosters.restore(kept, of: account) }
        }
    }

    /// Whether a service has data of the account.
    func hasData(of account: AccountIndex) -> Bool {
        logbook.hasData(of: account) || sites.hasData(of: account) || rosters.hasData(of: account)
            || commandQueues.hasData(of: account)
    }
}

/// The caller of a service, and what the service reads of the engine while it handles the request.
struct ServiceContext {
    let caller: Sessions.Entry
    let directory: Directory
    let epoch: Epoch
    let now: Moment
    /// When this run of the controller started.
    let startedAt: MonotonicTime
    /// Whether the disk is full.
    let isStorageFull: Bool

    /// The account of the caller.
    var account: AccountIndex { caller.account }
    var accountID: AccountID { caller.session.account }

    /// The account's share of a bound.
    func share(in quota: Quota) -> Int { directory.share(of: account, in: quota) }

    /// The refusal of a name that is not known: nodes that are not back may still announce it.
    var refusalOfUnknown: Refusal {
        let isSettling = directory.isSettling(account, startedAt: startedAt, at: now.monotonic)
        return isSettling ? .busy(retryAfter: .milliseconds(500)) : .notFound
    }

    /// The refusal of a device that no node has named since the start.
    func refusal(ofUnnamed id: DeviceID) -> Refusal {
        directory.refusal(ofUnnamed: id, of: account, startedAt: startedAt, at: now.monotonic)
    }

    /// Why nothing can be stored; nil if it can.
    var storageRefusal: Refusal? {
        isStorageFull ? .storageFull(retryAfter: Limits.storageRetry) : nil
    }

    /// Why the caller cannot change texts or command queues; nil if the caller can.
    var changeRefusal: Refusal? { caller.session.viewerRefusal ?? storageRefusal }
}

extension Session {
    /// Why a viewer cannot change anything; nil for other roles.
    var viewerRefusal: Refusal? {
        role == .viewer ? .notAllowed("viewers are read-only; ask an account owner for the member role") : nil
    }
}

extension Directory {
    /// The refusal of a device that no node has named since the start.
    ///
    /// It may still be named soon after the start, and while a node lists its devices. Then it counts as a
    /// device of a node that is away, if it ever was there.
    func refusal(
        ofUnnamed id: DeviceID, of account: AccountIndex, startedAt: MonotonicTime, at now: MonotonicTime
    ) -> Refusal {
        let owner = owner(of: id)
        if owner ?? account == account, isSettling(account, startedAt: startedAt, at: now) {
            return .busy(retryAfter: Limits.beatInterval)
        }
        return owner == account ? .offline(lastSeen: nil) : .notFound
    }

    /// Whether devices that are not known yet may still be announced: the controller has just started, or a
    /// node is new.
    func isSettling(_ account: AccountIndex, startedAt: MonotonicTime, at now: MonotonicTime) -> Bool {
        startedAt.advanced(by: Limits.lease) > now
            || nodes.contains { $0.account == account && $0.isSettling }
    }

    /// The name of a device; empty if the device or its name is not known.
    func name(of id: DeviceID) -> String { device(id).map { devices[$0].name } ?? "" }

    /// An account's share of a bound.
    func share(of account: AccountIndex, in quota: Quota) -> Int {
        quota.share(
            hasDevices: accountsWithDevices.contains(account), ofAccounts: accountsWithDevices.count)
    }
}
