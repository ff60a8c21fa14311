import ArgumentParser
import FleetProtocol
import ProcessSupport
import Synchronization
import TestSupport
import Testing

@testable import fleet

@Suite("Logbook commands", .timeLimit(.minutes(1)))
struct PostCommandTests {
    /// Runs a command line against a scripted controller.
    private func run(
        _ line: [String], script: @escaping ScriptedController.Script
    ) async throws -> (status: fleet.ExitStatus, transcript: Transcript) {
        try await ScriptedController.run(["post"] + line, script: script)
    }

    private static let ann = Email("ann@example.com").map { Author(number: AuthorNumber(1), email: $0) }

    private func post(_ title: String = "Leak", body: String = "in the hall") throws -> Post {
        Post(
            number: PostNumber(12), author: try #require(Self.ann),
            writtenAt: WallTime(unixMilliseconds: 1_800_000_000_000), title: title, body: body,
            subject: .device(DeviceID(fleetSeed: 1, index: 0), name: "Bedroom 7"), comments: 1)
    }

    private func comment(_ body: String) throws -> FleetProtocol.Comment {
        FleetProtocol.Comment(
            number: CommentNumber(3), post: PostNumber(12), author: try #require(Self.ann),
            writtenAt: WallTime(unixMilliseconds: 1_800_000_060_000), body: body)
    }

    @Test("an edit sends only the changed parts, and a removal sends the post's number")
    func changes() async throws {
        let edited = try await run(["edit", "12", "--title", "Mended"]) { body in
            guard case .logbook(.editPost(let edit))? = body.decoded else { return nil }
            #expect(edit.title == "Mended" && edit.body == nil)
            return .logbook(
                .post(
                    Post(
                        number: edit.number, author: .controller, writtenAt: WallTime(unixMilliseconds: 0),
                        title: "Mended", body: "")))
        }
        #expect(edited.status == .done && edited.transcript.results == ["post 12 changed"])
        let removed = try await run(["remove", "12"]) { body in
            if case .logbook(.removePost(let number))? = body.decoded {
                .logbook(.postRemoved(number))
            } else {
                nil
            }
        }
        #expect(removed.status == .done && removed.transcript.results == ["post 12 removed"])
    }

    @Test("a list of posts is a table with the total number of posts")
    func list() async throws {
        let chunk = PostChunk(posts: [try post()], total: 7, isLast: true)
        let (status, output) = try await run(["list", "--limit", "1"]) { body in
            body == .logbook(.posts(PostPull(limit: 1))) ? .logbook(.posts(chunk)) : nil
        }
        #expect(status == .done)
        #expect(output.results.count == 2)
        #expect(output.results.last?.contains("ann@example.com  Bedroom 7         1  Leak") == true)
        #expect(output.talk.contains("1 of 7 posts"))
        let (_, none) = try await run(["list"]) { _ in
            .logbook(.posts(PostChunk(posts: [], total: 0, isLast: true)))
        }
        #expect(none.results.isEmpty)
        #expect(none.talk.contains("fleet post write TITLE"))
    }

    @Test("a post is shown with its comments, without control characters")
    func show() async throws {
        let post = try post("\u{1b}[31mred", body: "first\nsecond\u{202e}")
        let comment = try comment("me\ntoo")
        let (status, output) = try await run(["show", "12"]) { body in
            switch body.decoded {
            case .logbook(.post(PostNumber(12))): .logbook(.post(post))
            case .logbook(.comments): .logbook(.comments(CommentChunk(comments: [comment], isLast: true)))
            default: nil
            }
        }
        #expect(status == .done)
        #expect(
            output.results == [
                "12: \u{FFFD}[31mred", "ann@example.com, 2027-01-15T08:00:00.000Z, about Bedroom 7", "",
                "first", "second", "", "ann@example.com, 2027-01-15T08:01:00.000Z:", "  me", "  too",
            ])
    }

    @Test("a post is sent with one request ID, which is printed when there is no answer")
    func write() async throws {
        let sent = Mutex<PostDraft?>(nil)
        let site = SiteID(of: "Home", in: try #require(AccountID("demo")))
        let home = SiteReport(
            site: Site(id: site, version: SiteVersion(1), profile: try SiteProfile(name: "Home")), devices: 0,
            isDescribed: false)
        let id = "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07"
        let (status, output) = try await run(
            ["write", "Leak", "--body", "in the hall", "--site", "home", "--request-id", id]
        ) { body in
            if body == .sites(.site(.name("home"))) { return .sites(.site(home)) }
            guard case .logbook(.addPost(let draft))? = body.decoded else { return nil }
            sent.withLock { $0 = draft }
            return Self.ann.map {
                .logbook(
                    .post(
                        Post(
                            number: PostNumber(1), author: $0, writtenAt: WallTime(unixMilliseconds: 0),
                            title: draft.title, body: draft.body, subject: draft.subject)))
            }
        }
        #expect(status == .done)
        #expect(output.results == ["post 1 added"])
        let draft = try #require(sent.withLock { $0 })
        #expect(draft.requestID.description == id)
        #expect(draft.subject == .site("Home"))
    }

    @Test("a post about a site that does not exist is not written")
    func noSite() async throws {
        let (status, output) = try await run(["write", "Leak", "--site", "Nope"]) { body in
            guard case .sites? = body.decoded else { return nil }
            return .refusal(.notFound)
        }
        #expect(status == .notPermitted)
        #expect(output.talk.contains("no site 'Nope' in this account"))
    }

    @Test("an invalid title is refused before a request is sent", arguments: ["", " ", "a\u{7}b"])
    func badText(title: String) async throws {
        let (status, output) = try await run(["write", title]) { _ in nil }
        #expect(status == .usage)
        #expect(output.talk.contains("title: "))
    }

    @Test("a missing post is reported with advice to list the posts")
    func missing() async throws {
        for line in [["show", "12"], ["comment", "12", "me too"]] {
            let (status, output) = try await run(line) { _ in .refusal(.notFound) }
            #expect(status == .notPermitted)
            #expect(output.talk.contains("fleet post list"))
        }
    }

    @Test("an invalid post number is a usage error", arguments: ["0", "x", "-1", "1.5"])
    func numbers(number: String) {
        #expect(throws: (any Error).self) { try Fleet.parseAsRoot(["post", "show", number]) }
    }

    @Test("a post about both a device and a site is a usage error")
    func both() {
        #expect(throws: (any Error).self) {
            try Fleet.parseAsRoot(["post", "write", "Leak", "--device", "x", "--site", "y"])
        }
    }
}
