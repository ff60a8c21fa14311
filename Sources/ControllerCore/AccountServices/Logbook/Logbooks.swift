import FleetProtocol
import Stepping

/// The logbooks of all accounts.
struct Logbooks: Sendable {
    /// What logbooks may take.
    struct Bounds: Sendable {
        var posts = Limits.accountPosts
        var controllerPosts = Limits.controllerPosts
    }

    private var books: [AccountIndex: Logbook] = [:]
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// An account's; empty where nothing was ever written.
    subscript(account: AccountIndex) -> Logbook { books[account] ?? Logbook() }

    /// Whether something was ever written there.
    func has(_ account: AccountIndex) -> Bool { books[account] != nil }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptLogbook, of account: AccountIndex) {
        books[account] = Logbook(kept)
    }

    mutating func add(_ post: KeptPost, to account: AccountIndex) {
        change(account) { $0.add(post) }
    }

    mutating func add(_ comment: KeptComment, to account: AccountIndex) {
        change(account) { $0.add(comment) }
    }

    mutating func edit(_ post: Post, of account: AccountIndex) {
        change(account) { $0.edit(post) }
    }

    /// Removes a post with its comments.
    ///
    /// - Precondition: The logbook has the post.
    mutating func remove(_ post: PostNumber, from account: AccountIndex) {
        change(account) { $0.forget(post) }
    }

    /// Makes room for a text, by forgetting what is oldest in the account's logbook.
    ///
    /// - Parameters:
    ///   - text: What the text takes.
    ///   - share: What the account may have.
    ///   - author: Whose post it is; nil: it is a comment.
    ///   - kept: The post that a comment is for, which stays.
    ///   - forget: Is told of each post that is gone.
    /// - Returns: Whether there is room: what was just written stays for a while.
    mutating func makeRoom(
        for text: Int, within share: Int, in account: AccountIndex, ofPostBy author: Author?,
        keeping kept: PostNumber? = nil, at now: WallTime, forgetting forget: (PostNumber) -> Void
    ) -> Bool {
        if author == .controller, self[account].controllerPosts >= bounds.controllerPosts {
            let oldest = self[account].oldest(ofController: true, at: now)
            guard remove(oldest, from: account, forget) else { return false }
        }
        while self[account].bytes + text > share
            || author != nil && self[account].posts.count >= bounds.posts
        {
            guard remove(self[account].oldest(but: kept, at: now), from: account, forget) else {
                return false
            }
        }
        return true
    }

    private mutating func remove(
        _ post: PostNumber?, from account: AccountIndex, _ forget: (PostNumber) -> Void
    ) -> Bool {
        guard let post else { return false }
        change(account) { $0.forget(post) }
        forget(post)
        return true
    }

    private mutating func change(_ account: AccountIndex, _ change: (inout Logbook) -> Void) {
        var book = books.removeValue(forKey: account) ?? Logbook()
        change(&book)
        books[account] = book
    }
}
