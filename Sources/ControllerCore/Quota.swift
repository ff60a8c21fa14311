import FleetProtocol

/// A bound of one account's storage, independent of what other accounts do.
///
/// Accounts with devices divide a common bound. Accounts without devices, which sign-up makes for anyone who
/// asks, need little and get little.
struct Quota: Sendable {
    /// The bound of one account.
    let account: Int
    /// The bound of all accounts with devices together.
    let all: Int
    /// The bound of an account without devices.
    let withoutDevices: Int

    /// Bytes of text in logbooks.
    static let logbook = Quota(
        account: Limits.logbookBytes, all: Limits.allLogbooksBytes,
        withoutDevices: Limits.bytesWithoutDevices)
    /// Bytes of descriptions of sites.
    static let sites = Quota(
        account: Limits.sitesBytes, all: Limits.allSitesBytes, withoutDevices: Limits.bytesWithoutDevices)
    /// Devices that are assigned to sites.
    static let assignments = Quota(
        account: Limits.accountAssignments, all: Limits.allAssignments, withoutDevices: 0)
    /// Bytes of sequences.
    static let sequences = Quota(
        account: Limits.sequencesBytes, all: Limits.allSequencesBytes,
        withoutDevices: Limits.bytesWithoutDevices)
    /// Bytes of rosters.
    static let rosters = Quota(
        account: Limits.rosterBytes, all: Limits.allRostersBytes, withoutDevices: Limits.bytesWithoutDevices)

    /// Changes of users that wait for their password to be hashed.
    static let userChanges = Quota(
        account: Limits.userChanges, all: Limits.userChanges, withoutDevices: 1)

    /// An account's share where that number of accounts have devices.
    func share(hasDevices: Bool, ofAccounts holders: Int) -> Int {
        hasDevices ? min(account, all / max(1, holders)) : withoutDevices
    }
}

extension Directory {
    /// An account's place among those that change users: one change of each with devices may always wait.
    func standing(of account: AccountIndex) -> UserChanges.Standing {
        UserChanges.Standing(
            hasDevices: accountsWithDevices.contains(account),
            share: max(1, share(of: account, in: .userChanges)))
    }
}
