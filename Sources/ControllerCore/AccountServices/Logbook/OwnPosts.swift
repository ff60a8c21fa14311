import FleetProtocol
import Stepping

/// How much the controller writes in logbooks by itself: so many posts at once, and then one a while, for
/// each account.
///
/// A node that comes and goes all day, or a thousand devices that are reset together, would otherwise push
/// out what people have written, and hold up the loop.
struct OwnPosts: Sendable {
    /// Posts at once.
    static let burst = 20
    /// The time after which there may be one more.
    static let interval: Duration = .seconds(60)

    private struct Budget {
        /// When it is whole again.
        var wholeAt: MonotonicTime
        /// Posts that were left out since the last one.
        var leftOut = 0
    }

    private var budgets: [AccountIndex: Budget] = [:]

    /// Asks for a post.
    ///
    /// - Returns: How many were left out since the last one; nil: this one is left out too.
    mutating func spend(for account: AccountIndex, at now: MonotonicTime) -> Int? {
        var budget = budgets[account] ?? Budget(wholeAt: now)
        defer { budgets[account] = budget }
        let wholeAt = max(budget.wholeAt, now).advanced(by: Self.interval)
        guard now.duration(to: wholeAt) <= Self.interval * Self.burst else {
            budget.leftOut += 1
            return nil
        }
        let leftOut = budget.leftOut
        budget = Budget(wholeAt: wholeAt)
        return leftOut
    }

    /// The account is gone.
    mutating func forget(_ account: AccountIndex) { budgets[account] = nil }
}
