import ArgumentParser
import FleetProtocol
import ProcessSupport
import Synchronization
import TestSupport
import Testing

@testable import fleet

@Suite("Logbook commands", .timeLimit(.minutes(1)))
struct PostCommandTests {
    private func run(
        _ line: [String], status expected: fleet.ExitStatus = .done,
        script: @escaping ScriptedController.Script
    ) async throws -> Transcript {
        try await ScriptedController.run(["post"] + line, status: expected, script: script)
    }

    private static let ann = Author(number: AuthorNumber(1), email: .ann)

    private func post(
        _ number: UInt64 = 12, _ title: String = "Leak", body: String = "in the hall",
        about subject: PostSubject? = .device(DeviceID(fleetSeed: 1, index: 0), name: "Bedroom 7")
    ) -> Post {
        Post(
            number: PostNumber(number), author: Self.ann,
            writtenAt: WallTime(unixMilliseconds: 1_800_000_000_000), title: title, body: body,
            subject: subject, comments: 1)
    }

    @Test("an edit sends only the changed parts, and a removal sends the post's number")
    func changes() async throws {
        let edit = try PostEdit(number: PostNumber(12), title: "Mended", body: nil)
        let mended = post(12, "Mended")
        let edited = try await run(["edit", "12", "--title", "Mended"]) { body in
            body == .logbook(.editPost(edit)) ? .logbook(.post(mended)) : nil
        }
        #expect(edited.results == ["post 12 changed"])
        let removed = try await run(["remove", "12"]) { body in
            body == .logbook(.removePost(PostNumber(12))) ? .logbook(.postRemoved(PostNumber(12))) : nil
        }
        #expect(removed.results == ["post 12 removed"])
    }

    @Test("a list of posts is a table with the total number of posts")
    func list() async throws {
        let chunk = PostChunk(posts: [post()], total: 7, isLast: true)
        let output = try await run(["list", "--limit", "1"]) { body in
            body == .logbook(.posts(PostPull(limit: 1))) ? .logbook(.posts(chunk)) : nil
        }
        #expect(output.results.count == 2)
        #expect(output.results.last?.contains("ann@example.com  Bedroom 7         1  Leak") == true)
        #expect(output.talk.contains("1 of 7 posts"))
        let none = try await run(["list"]) { _ in
            .logbook(.posts(PostChunk(posts: [], total: 0, isLast: true)))
        }
        #expect(none.results.isEmpty)
        #expect(none.talk.contains("fleet post write TITLE"))
    }

    @Test("a post is shown with its comments, without control characters")
    func show() async throws {
        let post = post(12, "\u{1b}[31mred", body: "first\nsecond\u{202e}")
        let comment = FleetProtocol.Comment(
            number: CommentNumber(3), post: PostNumber(12), author: Self.ann,
            writtenAt: WallTime(unixMilliseconds: 1_800_000_060_000), body: "me\ntoo")
        let output = try await run(["show", "12"]) { body in
            switch body.decoded {
            case .logbook(.post(PostNumber(12))): .logbook(.post(post))
            case .logbook(.comments): .logbook(.comments(CommentChunk(comments: [comment], isLast: true)))
            default: nil
            }
        }
        #expect(
            output.results == [
                "12: \u{FFFD}[31mred", "ann@example.com, 2027-01-15T08:00:00.000Z, about Bedroom 7", "",
                "first", "second", "", "ann@example.com, 2027-01-15T08:01:00.000Z:", "  me", "  too",
            ])
    }

    @Test("a post is sent with one request ID, which is printed when there is no answer")
    func write() async throws {
        let site = SiteID(of: "Home", in: .demo)
        let home = SiteReport(
            site: Site(id: site, version: SiteVersion(1), profile: try SiteProfile(name: "Home")), devices: 0,
            isDescribed: false)
        let draft = try PostDraft(
            requestID: .sample, title: "Leak", body: "in the hall", subject: .site("Home"))
        let line = ["write", "Leak", "--body", "in the hall", "--site", "home"]
        let written = post(1, about: .site("Home"))
        let output = try await run(line + ["--request-id", RequestID.sample.description]) { body in
            switch body {
            case .sites(.site(.name("home"))): .sites(.site(home))
            case .logbook(.addPost(draft)): .logbook(.post(written))
            default: nil
            }
        }
        #expect(output.results == ["post 1 added"])
    }

    @Test("a post about a site that does not exist is not written")
    func noSite() async throws {
        let output = try await run(["write", "Leak", "--site", "Nope"], status: .notPermitted) { body in
            guard case .sites? = body.decoded else { return nil }
            return .refusal(.notFound)
        }
        #expect(output.talk.contains("no site 'Nope' in this account"))
    }

    @Test("an invalid title is refused before a request is sent", arguments: ["", " ", "a\u{7}b"])
    func badText(title: String) async throws {
        let output = try await run(["write", title], status: .usage) { _ in nil }
        #expect(output.talk.contains("title: "))
    }

    @Test("a missing post is reported with advice to list the posts")
    func missing() async throws {
        for line in [["show", "12"], ["comment", "12", "me too"]] {
            let output = try await run(line, status: .notPermitted) { _ in .refusal(.notFound) }
            #expect(output.talk.contains("fleet post list"))
        }
    }
}
