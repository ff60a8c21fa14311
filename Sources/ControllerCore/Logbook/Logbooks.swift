import FleetProtocol
import Stepping

/// The logbooks of all accounts, and the room that they have together.
struct Logbooks: Sendable {
    /// What logbooks may take.
    struct Bounds: Sendable {
        var posts = Limits.accountPosts
        var controllerPosts = Limits.controllerPosts
        var bytes = Limits.logbookBytes
        var allBytes = Limits.allLogbooksBytes
    }

    private var books: [AccountIndex: Logbook] = [:]
    private var bytes = 0
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// An account's; empty where nothing was ever written.
    subscript(account: AccountIndex) -> Logbook { books[account] ?? Logbook() }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptLogbook, of account: AccountIndex) {
        let book = Logbook(kept)
        books[account] = book
        bytes += book.bytes
    }

    mutating func add(_ post: KeptPost, to account: AccountIndex) {
        change(account) { $0.add(post) }
    }

    mutating func add(_ comment: KeptComment, to account: AccountIndex) {
        change(account) { $0.add(comment) }
    }

    /// Makes room for a text, by forgetting what is oldest in the account's logbook and, where all of them
    /// are too large together, in the largest.
    ///
    /// - Parameters:
    ///   - text: What the text takes.
    ///   - author: Whose post it is; nil: it is a comment.
    ///   - kept: The post that a comment is for, which stays.
    ///   - forget: Is told of each post that is gone.
    /// - Returns: Whether there is room: what was just written stays for a while.
    mutating func makeRoom(
        for text: Int, in account: AccountIndex, ofPostBy author: Author?, keeping kept: PostNumber? = nil,
        at now: WallTime, forgetting forget: (AccountIndex, PostNumber) -> Void
    ) -> Bool {
        if author == .controller, self[account].controllerPosts >= bounds.controllerPosts {
            let oldest = self[account].oldest(ofController: true, at: now)
            guard remove(oldest, from: account, forget) else { return false }
        }
        while self[account].bytes + text > bounds.bytes
            || author != nil && self[account].posts.count >= bounds.posts
        {
            guard remove(self[account].oldest(but: kept, at: now), from: account, forget) else {
                return false
            }
        }
        while bytes + text > bounds.allBytes {
            guard let largest else { return false }
            let oldest = self[largest].oldest(but: largest == account ? kept : nil, at: now)
            guard remove(oldest, from: largest, forget) else { return false }
        }
        return true
    }

    private mutating func remove(
        _ post: PostNumber?, from account: AccountIndex, _ forget: (AccountIndex, PostNumber) -> Void
    ) -> Bool {
        guard let post else { return false }
        change(account) { $0.forget(post) }
        forget(account, post)
        return true
    }

    /// The account with the most text; of several the first.
    private var largest: AccountIndex? {
        books.max { ($0.value.bytes, $1.key) < ($1.value.bytes, $0.key) }?.key
    }

    private mutating func change(_ account: AccountIndex, _ change: (inout Logbook) -> Void) {
        var book = books.removeValue(forKey: account) ?? Logbook()
        bytes -= book.bytes
        change(&book)
        bytes += book.bytes
        books[account] = book
    }
}
