import ControllerCore
import FleetProtocol

/// The logbooks of accounts: a row for each post and comment, and one for the highest assigned numbers.
enum LogbookTables {
    static func make(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE logbooks (
                account TEXT PRIMARY KEY, lastPost INTEGER NOT NULL, lastComment INTEGER NOT NULL,
                lastAuthor INTEGER NOT NULL, horizonMs INTEGER);
            CREATE TABLE posts (
                account TEXT NOT NULL, number INTEGER NOT NULL, requestID TEXT, author INTEGER NOT NULL,
                email TEXT, writtenAtMs INTEGER NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
                device TEXT, deviceName TEXT, site TEXT,
                PRIMARY KEY (account, number), UNIQUE (account, requestID));
            CREATE TABLE comments (
                account TEXT NOT NULL, number INTEGER NOT NULL, post INTEGER NOT NULL,
                requestID TEXT NOT NULL, author INTEGER NOT NULL, email TEXT NOT NULL,
                writtenAtMs INTEGER NOT NULL, body TEXT NOT NULL,
                PRIMARY KEY (account, number), UNIQUE (account, requestID));
            CREATE INDEX commentsByPost ON comments (account, post, number);
            """)
    }

    static func addEditsOfPosts(in db: Database) throws {
        try db.execute("ALTER TABLE posts ADD COLUMN editedAtMs INTEGER")
    }

    static func read(from db: Database) throws -> [StoredLogbook] {
        try db.prepare("SELECT * FROM logbooks ORDER BY account").rows().map { row in
            guard let account = AccountID(try row["account"]) else { throw Damage.row(table: "logbooks") }
            var marks = LogbookMarks()
            marks.lastPost = PostNumber(try Self.number(try row["lastPost"], "logbooks"))
            marks.lastComment = CommentNumber(try Self.number(try row["lastComment"], "logbooks"))
            marks.lastAuthor = AuthorNumber(try Self.number(try row["lastAuthor"], "logbooks"))
            let horizon: Int64? = try row["horizonMs"]
            marks.horizon = horizon.map(WallTime.init(unixMilliseconds:))
            return StoredLogbook(account: account, marks: marks, posts: try Self.posts(of: account, in: db))
        }
    }

    static func write(_ entry: LogbookEntry, in db: Database) throws {
        switch entry {
        case .posted(let account, let stored): try insert(stored, of: account, in: db)
        case .commented(let account, let stored): try insert(stored, of: account, in: db)
        case .edited(let account, let post):
            try db.cached(
                "UPDATE posts SET title = ?, body = ?, editedAtMs = ? WHERE account = ? AND number = ?"
            ).execute([
                post.title, post.body, post.editedAt?.unixMilliseconds, account.name,
                Int64(post.number.value),
            ])
        case .removed(let account, let numbers):
            for number in numbers {
                let arguments: [any DatabaseValueConvertible] = [account.name, Int64(number.value)]
                try db.cached("DELETE FROM posts WHERE account = ? AND number = ?").execute(arguments)
                try db.cached("DELETE FROM comments WHERE account = ? AND post = ?").execute(arguments)
            }
        case .marked(let account, let marks):
            try db.cached("INSERT OR REPLACE INTO logbooks VALUES (?, ?, ?, ?, ?)").execute([
                account.name, Int64(marks.lastPost.value), Int64(marks.lastComment.value),
                Int64(marks.lastAuthor.value), marks.horizon?.unixMilliseconds,
            ])
        }
    }

    private static func insert(_ stored: StoredPost, of account: AccountID, in db: Database) throws {
        let post = stored.post
        var (device, deviceName, site): (String?, String?, String?)
        switch post.subject {
        case .device(let id, let name): (device, deviceName) = (id.description, name)
        case .site(let name): site = name
        case nil: break
        }
        try db.cached("INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute([
            account.name, Int64(post.number.value), stored.requestID?.description,
            Int64(post.author.number.value), post.author.email?.address,
            post.writtenAt.unixMilliseconds, post.title, post.body, device, deviceName, site,
            post.editedAt?.unixMilliseconds,
        ])
    }

    private static func insert(_ stored: StoredComment, of account: AccountID, in db: Database) throws {
        let comment = stored.comment
        try db.cached("INSERT INTO comments VALUES (?, ?, ?, ?, ?, ?, ?, ?)").execute([
            account.name, Int64(comment.number.value), Int64(comment.post.value),
            stored.requestID.description, Int64(comment.author.number.value),
            comment.author.email?.address, comment.writtenAt.unixMilliseconds, comment.body,
        ])
    }

    // MARK: Reading

    private static func posts(of account: AccountID, in db: Database) throws -> [StoredPost] {
        let comments = try db.prepare("SELECT * FROM comments WHERE account = ? ORDER BY number")
            .rows([account.name]).map(comment)
        let byPost = Dictionary(grouping: comments, by: \.comment.post)
        return try db.prepare("SELECT * FROM posts WHERE account = ? ORDER BY number")
            .rows([account.name]).map { row in
                let (post, requestID) = try post(row)
                return StoredPost(post, requestID: requestID, comments: byPost[post.number] ?? [])
            }
    }

    private static func post(_ row: Row) throws -> (Post, RequestID?) {
        let id: String? = try row["requestID"]
        let requestID = id.flatMap { RequestID($0) }
        guard (id == nil) == (requestID == nil) else { throw Damage.row(table: "posts") }
        let editedAt: Int64? = try row["editedAtMs"]
        let post = Post(
            number: PostNumber(try number(try row["number"], "posts")), author: try author(row, "posts"),
            writtenAt: WallTime(unixMilliseconds: try row["writtenAtMs"]), title: try row["title"],
            body: try row["body"],
            subject: try subject(row), editedAt: editedAt.map(WallTime.init(unixMilliseconds:)))
        return (post, requestID)
    }

    private static func comment(_ row: Row) throws -> StoredComment {
        guard let requestID = RequestID(try row["requestID"] as String) else {
            throw Damage.row(table: "comments")
        }
        let comment = Comment(
            number: CommentNumber(try number(try row["number"], "comments")),
            post: PostNumber(try number(try row["post"], "comments")), author: try author(row, "comments"),
            writtenAt: WallTime(unixMilliseconds: try row["writtenAtMs"]), body: try row["body"])
        return StoredComment(comment, requestID: requestID)
    }

    private static func author(_ row: Row, _ table: String) throws -> Author {
        let number = AuthorNumber(try number(try row["author"], table))
        let address: String? = try row["email"]
        guard number != .zero || address != nil else { return .controller }
        guard number != .zero, let email = address.flatMap(Email.init) else { throw Damage.row(table: table) }
        return Author(number: number, email: email)
    }

    private static func subject(_ row: Row) throws -> PostSubject? {
        let (device, site): (String?, String?) = (try row["device"], try row["site"])
        if let site { return .site(site) }
        guard let device else { return nil }
        guard let id = DeviceID(device) else { throw Damage.row(table: "posts") }
        return .device(id, name: try row["deviceName"] ?? "")
    }

    private static func number(_ stored: Int64, _ table: String) throws -> UInt64 {
        guard let number = UInt64(exactly: stored) else { throw Damage.row(table: table) }
        return number
    }
}
