import FleetProtocol

/// The logbooks of all accounts: every user of an account can read, and users who may switch devices can
/// write.
struct LogbookService: AccountService {
    struct LogbookReference {
        let account: AccountIndex
        let id: AccountID
        let share: Int
    }

    private var logbooks = Logbooks()
    private var ownPosts = OwnPosts()

    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) throws(WireError) {
        let content = try LogbookRecord(record)
        try logbooks[account].restore(content)
    }

    func hasData(of account: AccountIndex) -> Bool { logbooks.has(account) }

    mutating func discard(_ account: AccountIndex) { ownPosts.discard(account) }

    mutating func handle(
        _ request: LogbookRequest, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ServiceResponse<LogbookReply> {
        let account = context.account
        switch request {
        case .posts(let pull): return .reply(.posts(logbooks[account].chunk(pull)))
        case .post(let number):
            guard let stored = logbooks[account][number] else { return .refusal(.notFound) }
            return .reply(.post(stored.post))
        case .comments(let number, let after):
            guard let stored = logbooks[account][number] else { return .refusal(.notFound) }
            return .reply(.comments(stored.chunk(after: after)))
        case .authors(let after): return .reply(.authors(logbooks[account].authors(after: after)))
        case .addPost(let draft): return write(draft, in: context, into: &output.changes)
        case .addComment(let draft): return write(draft, in: context, into: &output.changes)
        case .editPost(let edit): return carryOut(edit, in: context, into: &output.changes)
        case .removePost(let number): return remove(number, in: context, into: &output.changes)
        }
    }

    private mutating func write(
        _ draft: PostDraft, in context: ServiceContext, into changes: inout [StorageChange]
    ) -> ServiceResponse<LogbookReply> {
        let account = context.account
        if let written = logbooks[account].written(for: draft.requestID) {
            guard case .post(let number) = written, let post = logbooks[account][number]?.post,
                draft.isWritten(as: post), post.author.email == context.caller.session.email
            else { return .refusal(.idMismatch) }
            return .reply(.post(post))
        }
        if let refusal = objection(toWriting: draft.requestID, in: context)
            ?? objection(to: draft.subject, in: context)
        {
            return .refusal(refusal)
        }
        let post = Post(
            number: logbooks[account].marks.lastPost.next,
            author: logbooks[account].author(context.caller.session.email), writtenAt: context.now.wall,
            title: draft.title, body: draft.body,
            subject: draft.subject.map { named($0, in: context.directory) })
        let stored = StoredPost(post, requestID: draft.requestID)
        guard add(stored, to: context.logbook, at: context.now.wall, into: &changes) else {
            return .refusal(.busy(retryAfter: .seconds(1)))
        }
        return .reply(.post(post))
    }

    private mutating func write(
        _ draft: CommentDraft, in context: ServiceContext, into changes: inout [StorageChange]
    ) -> ServiceResponse<LogbookReply> {
        let account = context.account
        if let written = logbooks[account].written(for: draft.requestID) {
            guard case .comment(let number, let post) = written,
                let comment = logbooks[account][post]?[number],
                draft.isWritten(as: comment), comment.author.email == context.caller.session.email
            else { return .refusal(.idMismatch) }
            return .reply(.comment(comment))
        }
        if let refusal = objection(toWriting: draft.requestID, in: context) { return .refusal(refusal) }
        guard let comments = logbooks[account][draft.post]?.post.comments else {
            return .refusal(.notFound)
        }
        guard comments < Limits.postComments else {
            let reason = "post \(draft.post) has \(Limits.postComments) comments, the maximum; add a post"
            return .refusal(.invalid(reason))
        }
        let comment = Comment(
            number: logbooks[account].marks.lastComment.next, post: draft.post,
            author: logbooks[account].author(context.caller.session.email), writtenAt: context.now.wall,
            body: draft.body)
        guard
            makeRoom(
                for: comment.bytesAtMost, retaining: draft.post, in: context.logbook, at: context.now.wall,
                into: &changes)
        else { return .refusal(.busy(retryAfter: .seconds(1))) }
        logbooks[account].add(StoredComment(comment: comment, requestID: draft.requestID))
        changes.store(LogbookRecord.comment(comment, requestID: draft.requestID), of: context.accountID)
        changes.store(LogbookRecord.marks(logbooks[account].marks), of: context.accountID)
        return .reply(.comment(comment))
    }

    /// Adds a post with the next number; returns false while the logbook is full of recent posts.
    private mutating func add(
        _ stored: StoredPost, to logbook: LogbookReference, at now: WallTime,
        into changes: inout [StorageChange]
    ) -> Bool {
        let post = stored.post
        guard
            makeRoom(for: post.bytesAtMost, ofPostBy: post.author, in: logbook, at: now, into: &changes)
        else { return false }
        logbooks[logbook.account].add(stored)
        changes.store(LogbookRecord.post(post, requestID: stored.requestID), of: logbook.id)
        changes.store(LogbookRecord.marks(logbooks[logbook.account].marks), of: logbook.id)
        return true
    }

    private func storeRemoval(
        of posts: [StoredPost], from logbook: LogbookReference, into changes: inout [StorageChange]
    ) {
        guard !posts.isEmpty else { return }
        for stored in posts {
            let comments = stored.comments.map { LogbookRecord.key(of: $0.comment.number) }
            for key in [LogbookRecord.key(of: stored.post.number)] + comments {
                changes.remove(LogbookRecord.self, at: key, of: logbook.id)
            }
        }
        changes.store(LogbookRecord.marks(logbooks[logbook.account].marks), of: logbook.id)
    }

    /// Why a text cannot be written under a request ID now; nil if it can.
    private func objection(toWriting id: RequestID, in context: ServiceContext) -> Refusal? {
        context.caller.session.viewerRefusal ?? id.objection(at: context.now.wall) ?? context.storageRefusal
            ?? logbooks[context.account].lag(of: id).map { .idTooOld(behind: $0) }
    }

    private func objection(to subject: PostSubject?, in context: ServiceContext) -> Refusal? {
        guard case .device(let device, _) = subject,
            context.directory.owner(of: device) != context.account
        else { return nil }
        return context.refusalOfUnknown
    }

    /// Returns the subject with the current name of its device.
    private func named(_ subject: PostSubject, in directory: Directory) -> PostSubject {
        guard case .device(let device, _) = subject else { return subject }
        return .device(device, name: directory.name(of: device))
    }

    /// Edits a post, for its author only, because the post shows the author's name.
    private mutating func carryOut(
        _ edit: PostEdit, in context: ServiceContext, into changes: inout [StorageChange]
    ) -> ServiceResponse<LogbookReply> {
        let account = context.account
        guard let stored = logbooks[account][edit.number] else { return .refusal(.notFound) }
        let post = stored.post
        if let refusal = context.changeRefusal { return .refusal(refusal) }
        guard post.author.email == context.caller.session.email else {
            return .refusal(.notAllowed("only the author can edit a post"))
        }
        guard !edit.isDone(in: post) else { return .reply(.post(post)) }
        let edited = post.edited(edit, at: context.now.wall)
        let growth = edited.bytesAtMost - post.bytesAtMost
        guard
            growth <= 0
                || makeRoom(
                    for: growth, retaining: post.number, in: context.logbook, at: context.now.wall,
                    into: &changes)
        else { return .refusal(.busy(retryAfter: .seconds(1))) }
        logbooks[account].edit(edited)
        changes.store(LogbookRecord.post(edited, requestID: stored.requestID), of: context.accountID)
        return .reply(.post(edited))
    }

    /// Removes a post with its comments, for its author and for owners.
    private mutating func remove(
        _ number: PostNumber, in context: ServiceContext, into changes: inout [StorageChange]
    ) -> ServiceResponse<LogbookReply> {
        let account = context.account
        guard let post = logbooks[account][number]?.post else { return .refusal(.notFound) }
        if let refusal = context.changeRefusal { return .refusal(refusal) }
        guard post.author.email == context.caller.session.email || context.caller.session.role == .owner
        else { return .refusal(.notAllowed("only the author and owners can remove a post")) }
        let removed = logbooks[account].discard(number)
        storeRemoval(of: [removed], from: context.logbook, into: &changes)
        return .reply(.postRemoved(number))
    }

    /// Makes room for a text of a number of bytes; returns false if the logbook is full of recent posts.
    private mutating func makeRoom(
        for text: Int, ofPostBy author: Author? = nil, retaining retained: PostNumber? = nil,
        in logbook: LogbookReference, at now: WallTime, into changes: inout [StorageChange]
    ) -> Bool {
        var removed: [StoredPost] = []
        let hasRoom = logbooks.makeRoom(
            for: text, within: logbook.share, in: logbook.account, ofPostBy: author, retaining: retained,
            at: now
        ) { removed.append($0) }
        storeRemoval(of: removed, from: logbook, into: &changes)
        return hasRoom
    }

    // MARK: Posts of the controller

    mutating func nodeIsLost(
        _ node: NodeRecord, in logbook: LogbookReference, hasUser: @autoclosure () -> Bool, at now: Moment,
        into changes: inout [StorageChange]
    ) {
        let devices = node.devices == 1 ? "1 device" : "\(node.devices) devices"
        let body = """
            The controller has received no heartbeat for \(Limits.lease.wholeMilliseconds) ms. The node's \
            \(devices) cannot be reached until it reconnects.
            """
        post("Node \(node.name) is lost", body, in: logbook, hasUser: hasUser(), at: now, into: &changes)
    }

    mutating func requestIsUndetermined(
        _ end: UndeterminedRequest, in logbook: LogbookReference, hasUser: @autoclosure () -> Bool,
        at now: Moment,
        into changes: inout [StorageChange]
    ) {
        let body = """
            The outcome of request \(end.key.id) of \(end.user) will never be known: \
            \(end.reason.why).
            """
        let name = end.deviceName.isEmpty ? end.device.description : end.deviceName
        post(
            "A request for \(name) is undetermined", body,
            about: .device(end.device, name: end.deviceName), in: logbook, hasUser: hasUser(), at: now,
            into: &changes)
    }

    private mutating func post(
        _ title: String, _ body: String, about subject: PostSubject? = nil, in logbook: LogbookReference,
        hasUser: @autoclosure () -> Bool, at now: Moment, into changes: inout [StorageChange]
    ) {
        guard let omitted = ownPosts.spend(for: logbook.account, at: now.monotonic), hasUser() else { return }
        let more =
            switch omitted {
            case 0: ""
            case 1: "\n\n1 similar post was left out before this one."
            default: "\n\n\(omitted) similar posts were left out before this one."
            }
        let post = Post(
            number: logbooks[logbook.account].marks.lastPost.next, author: .controller, writtenAt: now.wall,
            title: title, body: body + more, subject: subject)
        _ = add(StoredPost(post, requestID: nil), to: logbook, at: now.wall, into: &changes)
    }
}

extension ServiceContext {
    fileprivate var logbook: LogbookService.LogbookReference {
        LogbookService.LogbookReference(account: account, id: accountID, share: share(in: .logbook))
    }
}

extension UndeterminedReason {
    var why: String {
        switch self {
        case .deviceReset: "the device has lost its memory"
        case .superseded: "the controller restarted with an older journal, which does not have the outcome"
        case .deviceGone: "the device has left the fleet, or was unreachable for a day"
        }
    }
}
