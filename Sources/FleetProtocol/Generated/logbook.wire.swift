// Made by protoc-gen-fleetwire from sensibus/v1/logbook.proto: `make proto` makes it again.
// swift-format-ignore-file

/// A request about the logbook of the user's account.
public enum LogbookRequest: Equatable, Sendable {
    /// The account's logbook, the newest post first.
    case posts(PostPull)
    case post(PostNumber)
    /// The comments on a post, the oldest first.
    /// - `after`: Only comments with higher numbers; 0: all.
    case comments(on: PostNumber, after: CommentNumber)
    /// Writes a post; a repeat of the request ID writes nothing more.
    case addPost(PostDraft)
    /// Writes a comment; a repeat of the request ID writes nothing more.
    case addComment(CommentDraft)
    /// The authors of existing posts and comments, by number, without the controller.
    /// - `after`: Only authors with higher numbers; 0: all.
    case authors(after: AuthorNumber)
    /// Changes the text of a post that the user wrote; absent fields are unchanged. A repeat changes nothing.
    case editPost(PostEdit)
    /// Removes a post with its comments: the user's own, or any post for an owner.
    case removePost(PostNumber)
}

extension LogbookRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...8: try fields.read(&body)
            default: break
            }
        }
        self = try LogbookRequest(wire: body.required("body: a request of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension LogbookRequest {
    /// The case that the message in `LogbookRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .posts(try PostPull(wire: choice.message))
        case 2: self = .post(try PostQueryFields.read(choice.message))
        case 3:
            let (on, after) = try CommentPullFields.read(choice.message)
            self = .comments(on: on, after: after)
        case 4: self = .addPost(try PostDraft(wire: choice.message))
        case 5: self = .addComment(try CommentDraft(wire: choice.message))
        case 6: self = .authors(after: try AuthorPullFields.read(choice.message))
        case 7: self = .editPost(try PostEdit(wire: choice.message))
        default: self = .removePost(try PostQueryFields.read(choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .posts(let value): fields.put(1, value)
        case .post(let number): fields.put(2) { PostQueryFields.write(number, into: &$0) }
        case .comments(let on, let after): fields.put(3) { CommentPullFields.write(on, after, into: &$0) }
        case .addPost(let value): fields.put(4, value)
        case .addComment(let value): fields.put(5, value)
        case .authors(let after): fields.put(6) { AuthorPullFields.write(after, into: &$0) }
        case .editPost(let value): fields.put(7, value)
        case .removePost(let number): fields.put(8) { PostQueryFields.write(number, into: &$0) }
        }
    }
}

/// The controller's reply to a `LogbookRequest`.
public enum LogbookReply: Equatable, Sendable {
    /// Some of an account's posts, the newest first.
    case posts(PostChunk)
    /// A post of a user or of the controller in a logbook.
    case post(Post)
    /// Some of the comments on a post.
    case comments(CommentChunk)
    /// A comment on a post.
    case comment(Comment)
    /// Some of the authors in an account's logbook, by number, without the controller.
    case authors(AuthorChunk)
    /// A post was removed with its comments.
    case postRemoved(PostNumber)
}

extension LogbookReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...6: try fields.read(&body)
            default: break
            }
        }
        self = try LogbookReply(wire: body.required("body: a reply of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension LogbookReply {
    /// The case that the message in `LogbookReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .posts(try PostChunk(wire: choice.message))
        case 2: self = .post(try Post(wire: choice.message))
        case 3: self = .comments(try CommentChunk(wire: choice.message))
        case 4: self = .comment(try Comment(wire: choice.message))
        case 5: self = .authors(try AuthorChunk(wire: choice.message))
        default: self = .postRemoved(try PostRemovedFields.read(choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .posts(let value): fields.put(1, value)
        case .post(let value): fields.put(2, value)
        case .comments(let value): fields.put(3, value)
        case .comment(let value): fields.put(4, value)
        case .authors(let value): fields.put(5, value)
        case .postRemoved(let number): fields.put(6) { PostRemovedFields.write(number, into: &$0) }
        }
    }
}

extension PostPull: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var before = UInt64(0)
        var skip = UInt32(0)
        var limit = UInt32(0)
        var author: UInt32?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&before)
            case 2: try fields.read(&skip)
            case 3: try fields.read(&limit)
            case 4: try fields.read(&author)
            default: break
            }
        }
        guard (1...UInt32(Limits.chunkPosts)).contains(limit) else { throw .malformed("posts.limit", "1 to \(Limits.chunkPosts)") }
        self.init(
            before: try before == 0 ? nil : PostNumber(wire: before, field: "posts.before"),
            skip: skip,
            limit: limit,
            author: try author.map { value throws(WireError) in try AuthorNumber(wire: value, field: "posts.author") })
    }

    func write(to fields: inout FieldWriter) {
        if let value = before { fields.put(1, value.wire) }
        fields.put(2, skip)
        fields.put(3, limit)
        fields.put(4, optional: author?.wire)
    }
}

/// Some of an account's posts, the newest first.
public struct PostChunk: Hashable, Sendable {
    public let posts: [Post]
    /// The number of posts that match, including skipped ones.
    public let total: UInt32
    /// Whether no older posts match.
    public let isLast: Bool

    public init(posts: [Post] = [], total: UInt32 = 0, isLast: Bool = false) {
        self.posts = posts
        self.total = total
        self.isLast = isLast
    }
}

extension PostChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var posts: [Post] = []
        var total = UInt32(0)
        var done = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&posts)
            case 2: try fields.read(&total)
            case 3: try fields.read(&done)
            default: break
            }
        }
        self.init(posts: posts, total: total, isLast: done)
    }

    func write(to fields: inout FieldWriter) {
        for value in posts { fields.put(1, value) }
        fields.put(2, total)
        fields.put(3, isLast)
    }
}

/// The fields of `PostQuery`.
enum PostQueryFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> PostNumber {
        var number = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            default: break
            }
        }
        return try PostNumber(wire: number, field: "post.number")
    }

    static func write(
        _ number: PostNumber, into fields: inout FieldWriter
    ) {
        fields.put(1, number.wire)
    }
}

extension PostDraft: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var requestID: FieldReader?
        var title = ""
        var body = ""
        var subject: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&title)
            case 3: try fields.read(&body)
            case 4: try fields.read(&subject)
            default: break
            }
        }
        let requestIDValue = try RequestID(wire: requestID.required("request_id"))
        let subjectValue = try subject.map { value throws(WireError) in try PostSubject(wire: value) }
        do throws(LogbookTextError) {
            try self.init(requestID: requestIDValue, title: title, body: body, subject: subjectValue)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, title)
        fields.put(3, body)
        if let value = subject { fields.put(4, value) }
    }
}

extension PostEdit: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var number = UInt64(0)
        var title: String?
        var body: String?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&title)
            case 3: try fields.read(&body)
            default: break
            }
        }
        let numberValue = try PostNumber(wire: number, field: "post")
        do throws(LogbookTextError) {
            try self.init(number: numberValue, title: title, body: body)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.wire)
        fields.put(2, optional: title)
        fields.put(3, optional: body)
    }
}

/// The fields of `PostRemoved`.
enum PostRemovedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> PostNumber {
        var number = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            default: break
            }
        }
        return try PostNumber(wire: number, field: "post.number")
    }

    static func write(
        _ number: PostNumber, into fields: inout FieldWriter
    ) {
        fields.put(1, number.wire)
    }
}

/// The fields of `PostSubject`.
enum PostSubjectFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (device: String, deviceName: String, site: String) {
        var device = ""
        var deviceName = ""
        var site = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&deviceName)
            case 3: try fields.read(&site)
            default: break
            }
        }
        return (device, deviceName, site)
    }

    static func write(
        device: String = "", deviceName: String = "", site: String = "", into fields: inout FieldWriter
    ) {
        fields.put(1, device)
        fields.put(2, deviceName)
        fields.put(3, site)
    }
}

/// A post of a user or of the controller in a logbook.
public struct Post: Hashable, Sendable {
    /// Within the account, from 1; never reused.
    public var number: PostNumber
    public var author: Author
    /// When the controller received it, Unix milliseconds.
    public var writtenAt: WallTime
    /// The title, as one line of untrusted text.
    public var title: String
    /// The body, as untrusted text of any number of lines; may be empty.
    public var body: String
    public var subject: PostSubject?
    /// The number of its comments.
    public var comments: UInt32
    /// When its author last changed its text, Unix milliseconds.
    public var editedAt: WallTime?

    public init(number: PostNumber, author: Author, writtenAt: WallTime, title: String = "", body: String = "", subject: PostSubject? = nil, comments: UInt32 = 0, editedAt: WallTime? = nil) {
        self.number = number
        self.author = author
        self.writtenAt = writtenAt
        self.title = title
        self.body = body
        self.subject = subject
        self.comments = comments
        self.editedAt = editedAt
    }
}

extension Post: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var number = UInt64(0)
        var author: FieldReader?
        var writtenMs = Int64(0)
        var title = ""
        var body = ""
        var subject: FieldReader?
        var comments = UInt32(0)
        var editedMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&author)
            case 3: try fields.read(&writtenMs)
            case 4: try fields.read(&title)
            case 5: try fields.read(&body)
            case 6: try fields.read(&subject)
            case 7: try fields.read(&comments)
            case 8: try fields.read(&editedMs)
            default: break
            }
        }
        self.init(
            number: try PostNumber(wire: number, field: "post.number"),
            author: try Author(wire: author.required("author")),
            writtenAt: try WallTime(wire: writtenMs, field: "post.written_ms"),
            title: try title.checked(bytes: Limits.postTitleBytes, field: "post.title"),
            body: try body.checked(bytes: Limits.postBodyBytes, field: "post.body"),
            subject: try subject.map { value throws(WireError) in try PostSubject(wire: value) },
            comments: comments,
            editedAt: try editedMs.map { value throws(WireError) in try WallTime(wire: value, field: "post.edited_ms") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.wire)
        fields.put(2, author)
        fields.put(3, writtenAt.wire)
        fields.put(4, title)
        fields.put(5, body)
        if let value = subject { fields.put(6, value) }
        fields.put(7, comments)
        fields.put(8, optional: editedAt?.wire)
    }
}

/// The fields of `Author`.
enum AuthorFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (number: AuthorNumber, email: String?) {
        var number = UInt32(0)
        var email = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&email)
            default: break
            }
        }
        return (try AuthorNumber(wire: number, field: "number"), email.isEmpty ? nil : email)
    }

    static func write(
        number: AuthorNumber, email: String? = nil, into fields: inout FieldWriter
    ) {
        fields.put(1, number.wire)
        if let value = email { fields.put(2, value) }
    }
}

/// The fields of `CommentPull`.
enum CommentPullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (PostNumber, CommentNumber) {
        var post = UInt64(0)
        var after = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&post)
            case 2: try fields.read(&after)
            default: break
            }
        }
        return (try PostNumber(wire: post, field: "comments.post"), try CommentNumber(wire: after, field: "comments.after"))
    }

    static func write(
        _ on: PostNumber, _ after: CommentNumber, into fields: inout FieldWriter
    ) {
        fields.put(1, on.wire)
        fields.put(2, after.wire)
    }
}

/// Some of the comments on a post, the oldest first.
public struct CommentChunk: Hashable, Sendable {
    public let comments: [Comment]
    /// Whether no later comments exist.
    public let isLast: Bool

    public init(comments: [Comment] = [], isLast: Bool = false) {
        self.comments = comments
        self.isLast = isLast
    }
}

extension CommentChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var comments: [Comment] = []
        var done = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&comments)
            case 2: try fields.read(&done)
            default: break
            }
        }
        self.init(comments: comments, isLast: done)
    }

    func write(to fields: inout FieldWriter) {
        for value in comments { fields.put(1, value) }
        fields.put(2, isLast)
    }
}

extension CommentDraft: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var requestID: FieldReader?
        var post = UInt64(0)
        var body = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&post)
            case 3: try fields.read(&body)
            default: break
            }
        }
        let requestIDValue = try RequestID(wire: requestID.required("request_id"))
        let postValue = try PostNumber(wire: post, field: "post")
        do throws(LogbookTextError) {
            try self.init(requestID: requestIDValue, post: postValue, body: body)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, post.wire)
        fields.put(3, body)
    }
}

/// A comment on a post.
public struct Comment: Hashable, Sendable {
    /// Within the account, from 1; never reused.
    public let number: CommentNumber
    public let post: PostNumber
    public let author: Author
    /// The time at which the controller received it.
    public let writtenAt: WallTime
    /// The body, as untrusted text of any number of lines.
    public let body: String

    public init(number: CommentNumber, post: PostNumber, author: Author, writtenAt: WallTime, body: String = "") {
        self.number = number
        self.post = post
        self.author = author
        self.writtenAt = writtenAt
        self.body = body
    }
}

extension Comment: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var number = UInt64(0)
        var post = UInt64(0)
        var author: FieldReader?
        var writtenMs = Int64(0)
        var body = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&post)
            case 3: try fields.read(&author)
            case 4: try fields.read(&writtenMs)
            case 5: try fields.read(&body)
            default: break
            }
        }
        self.init(
            number: try CommentNumber(wire: number, field: "comment.number"),
            post: try PostNumber(wire: post, field: "comment.post"),
            author: try Author(wire: author.required("author")),
            writtenAt: try WallTime(wire: writtenMs, field: "comment.written_ms"),
            body: try body.checked(bytes: Limits.commentBytes, field: "comment.body"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number.wire)
        fields.put(2, post.wire)
        fields.put(3, author)
        fields.put(4, writtenAt.wire)
        fields.put(5, body)
    }
}

/// The fields of `AuthorPull`.
enum AuthorPullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> AuthorNumber {
        var after = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&after)
            default: break
            }
        }
        return try AuthorNumber(wire: after, field: "after")
    }

    static func write(
        _ after: AuthorNumber, into fields: inout FieldWriter
    ) {
        fields.put(1, after.wire)
    }
}

/// Some of the authors in an account's logbook, by number, without the controller.
public struct AuthorChunk: Hashable, Sendable {
    public let authors: [Author]
    public let isLast: Bool

    public init(authors: [Author] = [], isLast: Bool = false) {
        self.authors = authors
        self.isLast = isLast
    }
}

extension AuthorChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var authors: [Author] = []
        var done = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&authors)
            case 2: try fields.read(&done)
            default: break
            }
        }
        self.init(authors: authors, isLast: done)
    }

    func write(to fields: inout FieldWriter) {
        for value in authors { fields.put(1, value) }
        fields.put(2, isLast)
    }
}

/// The value of a stored record.
public enum LogbookRecord: Equatable, Sendable {
    /// A post, whose comments are records of their own, and the ID of the request that wrote it; nil for posts of the
    /// controller.
    /// - `requestID`: Absent for a post of the controller.
    case post(Post, requestID: RequestID?)
    /// A comment, and the ID of the request that wrote it.
    case comment(Comment, requestID: RequestID)
    /// The highest numbers that the logbook has assigned; a number is never assigned twice, even after a removal.
    case marks(LogbookMarks)
}

extension LogbookRecord: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...3: try fields.read(&body)
            default: break
            }
        }
        self = try LogbookRecord(wire: body.required("body: a record of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension LogbookRecord {
    /// The case that the message in `LogbookRecord.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1:
            let (post, requestID) = try StoredPostFields.read(choice.message)
            self = .post(post, requestID: requestID)
        case 2:
            let (comment, requestID) = try StoredCommentFields.read(choice.message)
            self = .comment(comment, requestID: requestID)
        default: self = .marks(try LogbookMarks(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .post(let post, let requestID): fields.put(1) { StoredPostFields.write(post, requestID, into: &$0) }
        case .comment(let comment, let requestID): fields.put(2) { StoredCommentFields.write(comment, requestID, into: &$0) }
        case .marks(let value): fields.put(3, value)
        }
    }
}

/// The fields of `StoredPost`.
enum StoredPostFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Post, RequestID?) {
        var post: FieldReader?
        var requestID: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&post)
            case 2: try fields.read(&requestID)
            default: break
            }
        }
        return (try Post(wire: post.required("stored_post.post")), try requestID.map { value throws(WireError) in try RequestID(wire: value) })
    }

    static func write(
        _ post: Post, _ requestID: RequestID?, into fields: inout FieldWriter
    ) {
        fields.put(1, post)
        if let value = requestID { fields.put(2, value) }
    }
}

/// The fields of `StoredComment`.
enum StoredCommentFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Comment, RequestID) {
        var comment: FieldReader?
        var requestID: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&comment)
            case 2: try fields.read(&requestID)
            default: break
            }
        }
        return (try Comment(wire: comment.required("stored_comment.comment")), try RequestID(wire: requestID.required("stored_comment.request_id")))
    }

    static func write(
        _ comment: Comment, _ requestID: RequestID, into fields: inout FieldWriter
    ) {
        fields.put(1, comment)
        fields.put(2, requestID)
    }
}

extension LogbookMarks: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var lastPost = UInt64(0)
        var lastComment = UInt64(0)
        var lastAuthor = UInt32(0)
        var horizonMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&lastPost)
            case 2: try fields.read(&lastComment)
            case 3: try fields.read(&lastAuthor)
            case 4: try fields.read(&horizonMs)
            default: break
            }
        }
        self.init(
            lastPost: try PostNumber(wire: lastPost, field: "logbook_marks.last_post"),
            lastComment: try CommentNumber(wire: lastComment, field: "logbook_marks.last_comment"),
            lastAuthor: try AuthorNumber(wire: lastAuthor, field: "logbook_marks.last_author"),
            horizon: try horizonMs.map { value throws(WireError) in try WallTime(wire: value, field: "logbook_marks.horizon_ms") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, lastPost.wire)
        fields.put(2, lastComment.wire)
        fields.put(3, lastAuthor.wire)
        fields.put(4, optional: horizon?.wire)
    }
}
