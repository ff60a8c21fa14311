import FleetProtocol

/// The limit on one account's use of a table, independent of what other accounts do. Accounts with devices
/// divide a common capacity. An account without devices, which any sign-up creates, gets a small fixed share.
struct Quota: Sendable {
    let account: Int
    /// The capacity for all accounts with devices together.
    let all: Int
    let withoutDevices: Int

    /// Text in logbooks, in bytes.
    static let logbook = Quota(
        account: Limits.logbookBytes, all: Limits.allLogbooksBytes,
        withoutDevices: Limits.bytesWithoutDevices)
    /// Profiles of sites, in bytes.
    static let sites = Quota(
        account: Limits.sitesBytes, all: Limits.allSitesBytes, withoutDevices: Limits.bytesWithoutDevices)
    static let assignments = Quota(
        account: Limits.accountAssignments, all: Limits.allAssignments, withoutDevices: 0)
    /// Command queues, in bytes.
    static let commandQueues = Quota(
        account: Limits.queuesBytes, all: Limits.allQueuesBytes,
        withoutDevices: Limits.bytesWithoutDevices)
    /// Rosters, in bytes.
    static let rosters = Quota(
        account: Limits.rosterBytes, all: Limits.allRostersBytes, withoutDevices: Limits.bytesWithoutDevices)

    /// User changes that wait for the hash of their password.
    static let userChanges = Quota(account: Limits.userChanges, all: Limits.userChanges, withoutDevices: 1)

    /// The share of an account, given the number of accounts with devices.
    func share(hasDevices: Bool, ofAccounts holders: Int) -> Int {
        hasDevices ? min(account, all / max(1, holders)) : withoutDevices
    }
}

extension Directory {
    /// The queue of an account's user changes and its quota in it. Each account with devices can always queue
    /// one change.
    func standing(of account: AccountIndex) -> UserChanges.Standing {
        UserChanges.Standing(
            hasDevices: accountsWithDevices.contains(account),
            share: max(1, share(of: account, in: .userChanges)))
    }
}
