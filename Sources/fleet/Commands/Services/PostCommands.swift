import ArgumentParser
import FleetClient
import FleetProtocol
import FleetTime
import UserText

/// `fleet post`: the commands for the account's logbook.
struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Read and write the account's logbook.",
        discussion: """
            Everybody of the account reads it, and everybody but viewers writes. The controller writes a \
            post itself when a node is lost, and when a request ended of which nobody can know what became. \
            The newest \(Limits.accountPosts) posts are kept.

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

/// `fleet post list`: lists posts, the newest first.
struct PostListCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List posts, the newest first.",
        discussion: """
            EXAMPLES
              fleet post list
              fleet post list --limit 50 --before 120
              fleet post list --json | jq -r 'select(.author == "controller") | .title'
            """)

    @Option(help: "How many at most, 1 to \(Limits.accountPosts).")
    var limit = 20

    @Option(help: ArgumentHelp("Only those before that one.", valueName: "post"), transform: PostNumber.parse)
    var before: PostNumber?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...Limits.accountPosts).contains(limit) else {
            throw ValidationError("--limit is 1 to \(Limits.accountPosts)")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let (posts, total) = try await access.withSession { try await $0.posts(limit, before: before) }
        if json.isWanted {
            for post in posts { surroundings.print(post.json.line) }
        } else if total == 0 {
            surroundings.say("fleet: nothing was written yet; `fleet post write TITLE` does")
        } else {
            let table = Post.table(of: posts, at: surroundings.now().wall)
            for line in table.lines { surroundings.print(line) }
            surroundings.say("\(posts.count) of \(total) posts")
        }
        return .done
    }
}

/// `fleet post show`: shows a post with its comments.
struct PostShowCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a post with its comments.",
        discussion: """
            For scripts there is a line for the post, and one for each comment.

            EXAMPLES
              fleet post show 12
              fleet post show 12 --json | jq -r .body
            """)

    @Argument(help: "Its number.", transform: PostNumber.parse)
    var post: PostNumber

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let number = post
        let (shown, comments) = try await access.aboutPost(number) { client in
            (try await client.post(number), try await client.comments(on: number))
        }
        if json.isWanted {
            for value in [shown.json] + comments.map(\.json) { surroundings.print(value.line) }
        } else {
            for line in shown.lines + comments.flatMap({ [""] + $0.lines }) { surroundings.print(line) }
        }
        return .done
    }
}

/// `fleet post write`: writes a post.
struct PostWriteCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a post.",
        discussion: """
            It is kept before the command ends. Sent again under the same request id, it is written once.

            EXAMPLES
              fleet post write "Filters cleaned"
              fleet post write "Rattles at night" --device "Bedroom 7" --body "Since Monday; worse in heat."
              fleet post write "Painters until Friday" --site Home
            """)

    @Argument(help: "One line of at most \(Limits.postTitleBytes) bytes.")
    var title: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What else there is to say, \(Limits.postBodyBytes) bytes at most.", valueName: "text"))
    var body = ""

    @Option(help: .device("The device that it is about"))
    var device: String?

    @Option(help: ArgumentHelp("What it is about: a site.", valueName: "name"))
    var site: String?

    @OptionGroup var options: WritingOptions

    func validate() throws {
        guard device == nil || site == nil else {
            throw ValidationError("a post is about a device or about a site: name one of them")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let post = try await options.write(in: surroundings) { client, id in
            let draft = try PostDraft(
                requestID: id, title: title, body: body,
                subject: try await subject(with: client, in: surroundings))
            return try await client.write(draft)
        }
        surroundings.print(options.json.isWanted ? post.json.line : "post \(post.number) is written")
        return .done
    }

    private func subject(
        with client: FleetClient, in surroundings: Surroundings
    ) async throws -> PostSubject? {
        if let site { return .site(site) }
        guard let device else { return nil }
        let listed = try await DeviceDirectory.search(with: client, in: surroundings) {
            directory throws(CommandFailure) in try directory.device(device)
        }
        return .device(listed.id, name: "")
    }
}

/// `fleet post comment`: adds a comment to a post.
struct PostCommentCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment",
        abstract: "Add a comment to a post.",
        discussion: """
            A post has \(Limits.postComments) comments at most. It is kept before the command ends. Sent \
            again under the same request id, it is written once.

            EXAMPLES
              fleet post comment 12 "The one in the hall too."
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse)
    var post: PostNumber

    @Argument(help: "What there is to say, \(Limits.commentBytes) bytes at most.")
    var text: String

    @OptionGroup var options: WritingOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let comment = try await options.write(in: surroundings) { client, id in
            let draft = try CommentDraft(requestID: id, post: post, body: text)
            do {
                return try await client.write(draft)
            } catch FleetError.refused(.notFound) {
                throw CommandFailure.noPost(post)
            }
        }
        surroundings.print(
            options.json.isWanted ? comment.json.line : "the comment is on post \(comment.post)")
        return .done
    }
}

/// `fleet post edit`: changes the title or the body of a post.
struct PostEditCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change the title or the body of a post that you wrote.",
        discussion: """
            Readers see that it was edited, and when. Comments stay.

            EXAMPLES
              fleet post edit 12 --title "Filters cleaned, fan replaced"
              fleet post edit 12 --body ""
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse)
    var post: PostNumber

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "One line of at most \(Limits.postTitleBytes) bytes (default: unchanged).", valueName: "text"))
    var title: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("At most \(Limits.postBodyBytes) bytes (default: unchanged).", valueName: "text"))
    var body: String?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard title != nil || body != nil else {
            throw ValidationError("nothing to change: give --title, --body or both")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let edit: PostEdit
        do throws(LogbookTextError) {
            edit = try PostEdit(number: post, title: title, body: body)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let edited = try await access.aboutPost(post) { try await $0.edit(edit) }
        surroundings.print(json.isWanted ? edited.json.line : "post \(edited.number) is changed")
        return .done
    }
}

/// `fleet post remove`: removes a post with its comments.
struct PostRemoveCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a post with its comments: your own, or any as an owner.",
        discussion: """
            EXAMPLES
              fleet post remove 3
              fleet post remove 4 --json
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse)
    var post: PostNumber

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let number = post
        let access = try ControllerAccess(runDirectory, in: surroundings)
        try await access.aboutPost(number) { try await $0.removePost(number) }
        let line: JSONValue = ["id": .integer(Int64(number.value))]
        surroundings.print(json.isWanted ? line.line : "post \(number) is removed")
        return .done
    }
}
