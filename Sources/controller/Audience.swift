import FleetProtocol

/// Whether somebody watches an account's stream, so that nothing is put into bytes for nobody.
///
/// It may say yes where nobody does any more, and never no where somebody does: libzmq tells of each
/// subscription, and of an end only when it was the last to its prefix.
struct Audience {
    /// Accounts that are told apart; with more, everybody's stream may be watched from then on.
    static let accountsAtMost = 4_096

    private var accounts: Set<AccountID> = []
    /// Subscriptions to other prefixes, which may be to the beginning of any account's topic.
    private var others = 0

    /// Notes what an XPUB received.
    ///
    /// - Returns: The subscription's beginning or end; nil when it is not to one account's topic.
    mutating func note(_ bytes: [UInt8]) -> Topic.Subscription? {
        if let subscription = Topic.Subscription(bytes) {
            if !subscription.begins {
                accounts.remove(subscription.account)
            } else if accounts.count < Self.accountsAtMost || accounts.contains(subscription.account) {
                accounts.insert(subscription.account)
            } else {
                others += 1
            }
            return subscription
        }
        switch bytes.first {
        case 0?: others = max(0, others - 1)
        case 1?: others += 1
        default: break
        }
        return nil
    }

    /// Whether somebody may watch an account.
    func mayWatch(_ account: AccountID) -> Bool {
        others > 0 || accounts.contains(account)
    }
}
