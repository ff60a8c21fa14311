import FleetProtocol
import Stepping

/// Edits and removals of posts.
extension Controller {
    /// Edits a post.
    ///
    /// Only the author may, because the post shows the author's name.
    mutating func edit(
        _ edit: PostEdit, entry: Sessions.Entry, waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        let account = entry.account
        guard let post = logbooks[account][edit.number]?.post else {
            return refuse(.notFound, to: waiter, into: &effects)
        }
        if let refusal = objection(toChangesBy: entry.session) {
            return refuse(refusal, to: waiter, into: &effects)
        }
        guard post.author.email == entry.session.email else {
            return refuse(.notAllowed("only the author can edit a post"), to: waiter, into: &effects)
        }
        guard !edit.isDone(in: post) else { return reply(.post(post), to: waiter, into: &effects) }
        let edited = post.edited(edit, at: now.wall)
        guard makeRoom(for: edited, over: post, in: account, at: now.wall, into: &effects) else {
            return refuse(.busy(retryAfter: .seconds(1)), to: waiter, into: &effects)
        }
        logbooks.edit(edited, of: account)
        effects.store(.logbook(.edited(entry.session.account, edited)))
        reply(.post(edited), to: waiter, into: &effects)
    }

    /// Removes a post with its comments, for its author and for owners.
    mutating func remove(
        _ number: PostNumber, entry: Sessions.Entry, waiter: Waiter, into effects: inout Effects
    ) {
        let account = entry.account
        guard let post = logbooks[account][number]?.post else {
            return refuse(.notFound, to: waiter, into: &effects)
        }
        if let refusal = objection(toChangesBy: entry.session) {
            return refuse(refusal, to: waiter, into: &effects)
        }
        guard post.author.email == entry.session.email || entry.session.role == .owner else {
            return refuse(
                .notAllowed("only the author and owners can remove a post"), to: waiter, into: &effects)
        }
        logbooks.remove(number, from: account)
        noteGone([number], of: account, into: &effects)
        reply(.postRemoved(number), to: waiter, into: &effects)
    }

    /// Makes room for the growth of a text; returns false if there is not enough yet.
    private mutating func makeRoom(
        for edited: Post, over post: Post, in account: AccountIndex, at now: WallTime,
        into effects: inout Effects
    ) -> Bool {
        let growth = edited.bytesAtMost - post.bytesAtMost
        guard growth > 0 else { return true }
        var gone: [PostNumber] = []
        let hasRoom = logbooks.makeRoom(
            for: growth, within: share(of: account, in: .logbook), in: account, ofPostBy: nil,
            keeping: post.number, at: now
        ) { gone.append($0) }
        noteGone(gone, of: account, into: &effects)
        return hasRoom
    }
}
