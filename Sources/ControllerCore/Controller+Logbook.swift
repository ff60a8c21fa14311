import FleetProtocol
import Stepping

/// The logbook of an account: whoever is of it reads, and who may switch devices writes.
extension Controller {
    mutating func heardLogbook(
        _ body: ClientRequest.Body, entry: Sessions.Entry, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        switch body {
        case .posts(let pull):
            reply(.posts(logbooks[entry.account].chunk(pull)), to: waiter, into: &effects)
        case .post(let number):
            guard let kept = logbooks[entry.account][number] else {
                return refuse(.notFound, to: waiter, into: &effects)
            }
            reply(.post(kept.post), to: waiter, into: &effects)
        case .comments(let number, let after):
            guard let kept = logbooks[entry.account][number] else {
                return refuse(.notFound, to: waiter, into: &effects)
            }
            reply(.comments(kept.chunk(after: after)), to: waiter, into: &effects)
        case .authors(let after):
            reply(.authors(logbooks[entry.account].authors(after: after)), to: waiter, into: &effects)
        case .addPost(let draft): write(draft, entry: entry, waiter: waiter, at: now, into: &effects)
        case .addComment(let draft): write(draft, entry: entry, waiter: waiter, at: now, into: &effects)
        case .editPost(let change): edit(change, entry: entry, waiter: waiter, at: now, into: &effects)
        case .removePost(let number): remove(number, entry: entry, waiter: waiter, into: &effects)
        case .login, .logout, .command, .cancel, .outcome, .snapshot, .status, .inject, .heal, .scenario,
            .retire, .faults, .users, .addUser, .removeUser, .changePassword, .changeRole, .keys, .addKey,
            .revokeKey, .who,
            .history, .counters, .wayIn, .sites, .sequences, .roster,
            .streamTicket:
            preconditionFailure("\(body) is not about the logbook")
        }
    }

    private mutating func write(
        _ draft: PostDraft, entry: Sessions.Entry, waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        let account = entry.account
        if let written = logbooks[account].written(for: draft.requestID) {
            guard case .post(let number) = written, let post = logbooks[account][number]?.post,
                draft.isWritten(as: post), post.author.email == entry.session.email
            else { return refuse(.idMismatch, to: waiter, into: &effects) }
            return reply(.post(post), to: waiter, into: &effects)
        }
        if let refusal = objection(toWriting: draft.requestID, entry: entry, at: now)
            ?? objection(to: draft.subject, of: account, at: now.monotonic)
        {
            return refuse(refusal, to: waiter, into: &effects)
        }
        let post = Post(
            number: logbooks[account].marks.lastPost.next,
            author: logbooks[account].author(entry.session.email), writtenAt: now.wall,
            title: draft.title, body: draft.body, subject: draft.subject.map(named))
        let kept = KeptPost(post, requestID: draft.requestID)
        guard add(kept, to: account, at: now.wall, into: &effects) else {
            return refuse(.busy(retryAfter: .seconds(1)), to: waiter, into: &effects)
        }
        reply(.post(post), to: waiter, into: &effects)
    }

    private mutating func write(
        _ draft: CommentDraft, entry: Sessions.Entry, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        let account = entry.account
        if let written = logbooks[account].written(for: draft.requestID) {
            guard case .comment(let number, let post) = written,
                let comment = logbooks[account][post]?[number],
                draft.isWritten(as: comment), comment.author.email == entry.session.email
            else { return refuse(.idMismatch, to: waiter, into: &effects) }
            return reply(.comment(comment), to: waiter, into: &effects)
        }
        if let refusal = objection(toWriting: draft.requestID, entry: entry, at: now) {
            return refuse(refusal, to: waiter, into: &effects)
        }
        guard let comments = logbooks[account][draft.post]?.post.comments else {
            return refuse(.notFound, to: waiter, into: &effects)
        }
        guard comments < Limits.postComments else {
            let reason = "post \(draft.post) has \(Limits.postComments) comments; write a post of its own"
            return refuse(.invalid(reason), to: waiter, into: &effects)
        }
        let comment = Comment(
            number: logbooks[account].marks.lastComment.next, post: draft.post,
            author: logbooks[account].author(entry.session.email), writtenAt: now.wall, body: draft.body)
        var gone: [PostNumber] = []
        let hasRoom = logbooks.makeRoom(
            for: comment.bytesAtMost, within: share(of: account, in: .logbook), in: account, ofPostBy: nil,
            keeping: draft.post, at: now.wall
        ) { gone.append($0) }
        noteGone(gone, of: account, into: &effects)
        guard hasRoom else { return refuse(.busy(retryAfter: .seconds(1)), to: waiter, into: &effects) }
        let kept = KeptComment(comment, requestID: draft.requestID)
        logbooks.add(kept, to: account)
        effects.store(.logbook(.commented(entry.session.account, kept)))
        effects.store(.logbook(.marked(entry.session.account, logbooks[account].marks)))
        reply(.comment(comment), to: waiter, into: &effects)
    }

    /// Takes in a post of the next number; false where there is no room yet.
    mutating func add(
        _ kept: KeptPost, to account: AccountIndex, at now: WallTime, into effects: inout Effects
    ) -> Bool {
        let post = kept.post
        var gone: [PostNumber] = []
        let hasRoom = logbooks.makeRoom(
            for: post.bytesAtMost, within: share(of: account, in: .logbook), in: account,
            ofPostBy: post.author, at: now
        ) { gone.append($0) }
        noteGone(gone, of: account, into: &effects)
        guard hasRoom else { return false }
        logbooks.add(kept, to: account)
        let id = directory.accounts[Int(account)].id
        effects.store(.logbook(.posted(id, kept)))
        effects.store(.logbook(.marked(id, logbooks[account].marks)))
        return true
    }

    /// Records that posts were removed to make room for others.
    func noteGone(_ gone: [PostNumber], of account: AccountIndex, into effects: inout Effects) {
        guard !gone.isEmpty else { return }
        let id = directory.accounts[Int(account)].id
        effects.store(.logbook(.forgotten(id, gone)))
        effects.store(.logbook(.marked(id, logbooks[account].marks)))
    }

    /// Why nothing can be written under an id now.
    private func objection(
        toWriting id: RequestID, entry: Sessions.Entry, at now: Moment
    ) -> Refusal? {
        if let refusal = objection(toRoleOf: entry.session) { return refusal }
        if let refusal = objection(toForm: id, at: now.wall) { return refusal }
        if isStorageFull { return .storageFull(retryAfter: Limits.storageRetry) }
        return logbooks[entry.account].lag(of: id).map { .idTooOld(behind: $0) }
    }

    /// Why nothing can be written about that; a foreign device and one that does not exist look the same.
    private func objection(
        to subject: PostSubject?, of account: AccountIndex, at now: MonotonicTime
    ) -> Refusal? {
        guard case .device(let device, _) = subject, directory.owner(of: device) != account else {
            return nil
        }
        return isSettling(account, at: now) ? .busy(retryAfter: .milliseconds(500)) : .notFound
    }

    /// A subject with what it is called now.
    private func named(_ subject: PostSubject) -> PostSubject {
        guard case .device(let device, _) = subject else { return subject }
        return .device(device, name: directory.device(device).map { directory.devices[$0].name } ?? "")
    }
}
