extension Post {
    /// Returns the post with an edit applied.
    public func edited(_ edit: PostEdit, at now: WallTime) -> Post {
        Post(
            number: number, author: author, writtenAt: writtenAt, title: edit.title ?? title,
            body: edit.body ?? body, subject: subject, comments: comments, editedAt: now)
    }

    /// The upper bound of its size in a chunk: 160 bytes for numbers and framing, and its texts.
    public var bytesAtMost: Int {
        let name =
            switch subject {
            case .device(_, let name): DeviceID.length + name.utf8.count
            case .site(let site): site.utf8.count
            case nil: 0
            }
        return 160 + (author.email?.address.utf8.count ?? 0) + title.utf8.count + body.utf8.count + name
    }
}

/// A request to write a post.
public struct PostDraft: Hashable, Sendable {
    /// The request ID (idempotency key), so that retries write one post only.
    public let requestID: RequestID
    /// The title: one line of 1 to ``Limits/postTitleBytes`` bytes with a visible character.
    public let title: String
    /// At most ``Limits/postBodyBytes`` bytes.
    public let body: String
    /// The subject; nil for none.
    public let subject: PostSubject?

    /// A draft with the given values.
    ///
    /// - Throws: ``LogbookTextError``.
    public init(
        requestID: RequestID, title: String, body: String, subject: PostSubject? = nil
    ) throws(LogbookTextError) {
        self.requestID = requestID
        self.title = try LogbookText.line(title, of: "title", bytes: Limits.postTitleBytes)
        self.body = try LogbookText.lines(body, of: "body", bytes: Limits.postBodyBytes)
        if case .site(let site) = subject {
            _ = try LogbookText.line(site, of: "site", bytes: Limits.nameBytes)
        }
        self.subject = subject
    }

    /// Returns whether a post has the content of this draft; always true for an edited post, whose first text
    /// is lost.
    public func isWritten(as post: Post) -> Bool {
        if post.editedAt != nil { return true }
        guard title == post.title, body == post.body else { return false }
        return switch (subject, post.subject) {
        case (nil, nil): true
        case (let one?, let another?): one.isSame(as: another)
        case (nil, _?), (_?, nil): false
        }
    }
}

/// A new text for a post; the same edit again changes nothing.
public struct PostEdit: Hashable, Sendable {
    /// The post.
    public let number: PostNumber
    /// One line of 1 to ``Limits/postTitleBytes`` bytes with a visible character; nil: unchanged.
    public let title: String?
    /// At most ``Limits/postBodyBytes`` bytes; nil: unchanged.
    public let body: String?

    /// An edit of a post.
    ///
    /// - Throws: ``LogbookTextError``.
    public init(number: PostNumber, title: String?, body: String?) throws(LogbookTextError) {
        self.number = number
        self.title =
            if let title { try LogbookText.line(title, of: "title", bytes: Limits.postTitleBytes) } else {
                nil
            }
        self.body =
            if let body { try LogbookText.lines(body, of: "body", bytes: Limits.postBodyBytes) } else { nil }
    }

    /// Returns whether a post already has the edited texts.
    public func isDone(in post: Post) -> Bool {
        number == post.number && title ?? post.title == post.title && body ?? post.body == post.body
    }
}

/// The subject of a post.
public enum PostSubject: Hashable, Sendable {
    /// A device of the account, with its name at the time of the post.
    ///
    /// The name is empty in requests, because the controller fills it in.
    case device(DeviceID, name: String)
    /// The name of a site, 1 to ``Limits/nameBytes`` bytes.
    case site(String)

    /// Returns whether both are the same device, regardless of its name, or the same site.
    public func isSame(as other: PostSubject) -> Bool {
        switch (self, other) {
        case (.device(let one, _), .device(let another, _)): one == another
        case (.site(let one), .site(let another)): one == another
        case (.device, .site), (.site, .device): false
        }
    }
}

/// The author of a post or a comment.
public struct Author: Hashable, Sendable {
    /// The controller, as the author of automatic posts.
    public static let controller = Author(number: .zero, email: nil)

    /// The author's number, valid while the logbook has a post or a comment of theirs.
    public let number: AuthorNumber
    /// The email of the user; nil for the controller.
    public let email: Email?

    private init(number: AuthorNumber, email: Email?) { (self.number, self.email) = (number, email) }

    /// A user with a number.
    ///
    /// - Precondition: The number is not 0.
    public init(number: AuthorNumber, email: Email) {
        precondition(number != .zero, "0 stands for the controller")
        (self.number, self.email) = (number, email)
    }
}

/// A post's number in its account's logbook, starting at 1 and never reused.
public struct PostNumber: Ordinal {
    /// The number.
    public let value: UInt64
    /// A post with a number.
    public init(_ value: UInt64) { self.value = value }
}

/// A comment's number among all comments of its account's logbook, starting at 1 and never reused.
public struct CommentNumber: Ordinal {
    /// The number.
    public let value: UInt64
    /// A comment with a number.
    public init(_ value: UInt64) { self.value = value }
}

/// An author's number within the account: 0 for the controller, and from 1 for users.
public struct AuthorNumber: Ordinal {
    /// The number, below 2³².
    public let value: UInt64
    /// An author with a number.
    public init(_ value: UInt64) { self.value = value }
}
