import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post", abstract: "Read and write the account's logbook.",
        discussion: """
            All users of the account can read the logbook, and all but viewers can write in it. The \
            controller posts when a node is lost, and when the outcome of a request is undetermined. The \
            newest \(Limits.accountPosts) posts are stored.

            EXAMPLES
              fleet post list
              fleet post write "Filters cleaned" --device "Bedroom 7"
              fleet post show 12
              fleet post comment 12 "The one in the hall too."
              fleet post edit 12 --title "Filters cleaned, fan replaced"
            """,
        subcommands: [
            PostListCommand.self, PostShowCommand.self, PostWriteCommand.self, PostCommentCommand.self,
            PostEditCommand.self, PostRemoveCommand.self,
        ])
}

struct PostListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List posts, the newest first.",
        discussion: """
            EXAMPLES
              fleet post list
              fleet post list --limit 50 --before 120
              fleet post list --json | jq -r 'select(.author == "controller") | .title'
            """)

    @Option(help: "The maximum number of posts, 1 to \(Limits.accountPosts).") var limit = 20

    @Option(help: .value("post", "Only posts before this one."), transform: PostNumber.parse)
    var before: PostNumber?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require((1...Limits.accountPosts).contains(limit), "--limit must be 1 to \(Limits.accountPosts)")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let (posts, total) = try await access.withSession { try await $0.posts(limit, before: before) }
        return .list(
            posts, Post.columns(at: access.surroundings.now().wall), json: \.json,
            absence: total > 0 ? nil : "fleet: no posts yet; write one with `fleet post write TITLE`",
            remark: "\(posts.count) of \(total) posts")
    }
}

struct PostShowCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a post with its comments.",
        discussion: """
            With --json it prints an object for the post, and one for each comment.

            EXAMPLES
              fleet post show 12
              fleet post show 12 --json | jq -r .body
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse) var post: PostNumber
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let number = post
        let (shown, comments) = try await access.withSession(else: .noPost(number)) { client in
            (try await client.post(number), try await client.comments(on: number))
        }
        return CommandOutput(
            json: [shown.json] + comments.map(\.json),
            lines: shown.lines + comments.flatMap { [""] + $0.lines })
    }
}

struct PostWriteCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a post.",
        discussion: """
            The post is committed before the command ends. A repeat with the same request ID writes no \
            second post.

            EXAMPLES
              fleet post write "Filters cleaned"
              fleet post write "Rattles at night" --device "Bedroom 7" --body "Since Monday; worse in heat."
              fleet post write "Painters until Friday" --site Home
            """)

    @Argument(help: "The title: one line of at most \(Limits.postTitleBytes) bytes.") var title: String

    @Option(parsing: .unconditional, help: .value("text", "The body, \(Limits.postBodyBytes) bytes at most."))
    var body = ""

    @Option(help: .device("The device that the post is about"), completion: .devices) var device: String?
    @Option(help: .value("name", "The site that the post is about.")) var site: String?
    @OptionGroup var options: WritingOptions
    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(device == nil || site == nil, "a post is about a device or about a site: give only one")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let post = try await options.write(with: access) { client, id in
            let subject = try await subject(with: client, in: access.surroundings)
            return try await client.write(
                try PostDraft(requestID: id, title: title, body: body, subject: subject))
        }
        return CommandOutput(post.json, "post \(post.number) added")
    }

    private func subject(with client: FleetClient, in world: Surroundings) async throws -> PostSubject? {
        if let site { return .site(try await ControllerAccess.site(site, with: client).site.profile.name) }
        guard let device else { return nil }
        let listed = try await DeviceDirectory.search(with: client, in: world) {
            directory throws(CommandFailure) in try directory.device(device)
        }
        return .device(listed.id, name: "")
    }
}

struct PostCommentCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment", abstract: "Add a comment to a post.",
        discussion: """
            A post has \(Limits.postComments) comments at most. The comment is committed before the command \
            ends. A repeat with the same request ID adds no second comment.

            EXAMPLES
              fleet post comment 12 "The one in the hall too."
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse) var post: PostNumber
    @Argument(help: "The comment, \(Limits.commentBytes) bytes at most.") var text: String
    @OptionGroup var options: WritingOptions
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let comment = try await options.write(with: access) { client, id in
            let draft = try CommentDraft(requestID: id, post: post, body: text)
            do {
                return try await client.write(draft)
            } catch FleetError.refused(.notFound) {
                throw CommandFailure.noPost(post)
            }
        }
        return CommandOutput(comment.json, "commented on post \(comment.post)")
    }
}

struct PostEditCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change the title or the body of a post that you wrote.",
        discussion: """
            Readers see that the post was edited, and when. Its comments stay.

            EXAMPLES
              fleet post edit 12 --title "Filters cleaned, fan replaced"
              fleet post edit 12 --body ""
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse) var post: PostNumber

    @Option(
        parsing: .unconditional,
        help: .value(
            "text", "The new title: one line of at most \(Limits.postTitleBytes) bytes (default: unchanged).")
    )
    var title: String?

    @Option(
        parsing: .unconditional,
        help: .value("text", "The new body, at most \(Limits.postBodyBytes) bytes (default: unchanged)."))
    var body: String?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(title != nil || body != nil, "nothing to change: give --title, --body or both")
    }

    func checkArguments() throws { _ = try PostEdit(number: post, title: title, body: body) }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let edit = try PostEdit(number: post, title: title, body: body)
        let edited = try await access.withSession(else: .noPost(post)) { try await $0.edit(edit) }
        return CommandOutput(edited.json, "post \(edited.number) changed")
    }
}

struct PostRemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a post with its comments: your own, or any as an owner.",
        discussion: """
            EXAMPLES
              fleet post remove 3
              fleet post remove 4 --json
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse) var post: PostNumber
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let number = post
        try await access.withSession(else: .noPost(number)) { try await $0.removePost(number) }
        return CommandOutput(["id": number.value], "post \(number) removed")
    }
}

extension PostNumber {
    static func parse(_ text: String) throws -> PostNumber {
        guard let value = UInt64(text), (1...Limits.largestOrdinal).contains(value) else {
            throw ValidationError(
                "'\(SafeText.of(text))' is not a post number: list them with `fleet post list`")
        }
        return PostNumber(value)
    }
}

struct WritingOptions: ParsableArguments {
    @Option(
        help: .value(
            "uuid",
            "The request ID, a UUID of version 7: repeated with the same ID, the text is written once."),
        transform: RequestID.parse)
    var requestID: RequestID?

    /// Writes in the logbook with a request ID, and adds advice to the error if the result is unknown.
    func write<Written: Sendable>(
        with access: ControllerAccess, _ work: @Sendable (FleetClient, RequestID) async throws -> Written
    ) async throws -> Written {
        let id = requestID ?? access.surroundings.makeRequestID()
        do {
            return try await access.withSession { try await work($0, id) }
        } catch FleetError.noReply {
            throw CommandFailure(
                .undecided, "no answer: the text may or may not have been posted",
                advice: "repeat the command with `--request-id \(id)`: it is posted only once")
        }
    }
}

extension CommandFailure {
    static func noPost(_ number: PostNumber) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no post \(number) in this account (notFound)",
            advice: "list the posts with `fleet post list`; the oldest ones are deleted when it is full")
    }
}

extension Post {
    static func columns(at now: WallTime) -> [TextTable.Column<Post>] {
        [
            ("POST", .right, { "\($0.number)" }),
            ("AGE", .right, { TimeText.age($0.writtenAt.duration(to: now)) }),
            ("AUTHOR", .left, { $0.author.text }), ("ABOUT", .left, { $0.subject?.text ?? "-" }),
            ("COMMENTS", .right, { "\($0.comments)" }), ("TITLE", .left, { $0.title }),
        ]
    }

    var lines: [String] {
        let about = subject.map { ", about \($0.text)" } ?? ""
        let edited = editedAt.map { ", edited \(TimeText.iso8601($0))" } ?? ""
        let head = "\(SafeText.of(author.text)), \(TimeText.iso8601(writtenAt))\(edited)\(about)"
        return ["\(number): \(SafeText.of(title))", head] + (body.isEmpty ? [] : [""] + body.safeLines)
    }
}

extension Comment {
    var lines: [String] {
        let indented = body.safeLines.map { $0.isEmpty ? "" : "  \($0)" }
        return ["\(SafeText.of(author.text)), \(TimeText.iso8601(writtenAt)):"] + indented
    }
}

extension String {
    /// The lines of a text that a user wrote, safe for a terminal.
    var safeLines: [String] {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            SafeText.of(String(line.replacing("\t", with: "    ")))
        }
    }
}
