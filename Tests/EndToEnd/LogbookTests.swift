import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The logbook", .timeLimit(.minutes(3)))
    struct LogbookTests {
        private struct PostLine: Decodable, Equatable {
            let id: Int
            let userId: Int
            let title: String
            let body: String
            let author: String
            let device: String?
            let commentCount: Int
        }

        private struct CommentLine: Decodable {
            let postId: Int
            let email: String
            let body: String
        }

        private func posts(_ lab: Lab) async throws -> [PostLine] {
            try await lab.fleet("post", "list", "--limit", "1000", "--json").lines(PostLine.self)
        }

        @Test(
            "the logbook has each acknowledged post once after kills of its controller, and the loss of a node"
        )
        func killed() async throws {
            try await Lab.withFleet { lab in
                for number in 1...12 {
                    let write = ["post", "write", "post \(number)", "--request-id", Lab.requestID()]
                    if number % 4 == 0 { try await lab.kill("controller") }
                    try await lab.eventually("post \(number) is written", within: .seconds(20)) {
                        try await lab.fleet(write).status == 0
                    }
                    // A client without an answer sends the post again.
                    try await lab.succeed(write)
                }
                let titles = try await posts(lab).filter { $0.author != "controller" }.map(\.title)
                #expect(titles == (1...12).reversed().map { "post \($0)" })

                let node = try await lab.processID("node-1")
                kill(node, SIGSTOP)
                defer { kill(node, SIGCONT) }
                try await lab.eventually("the controller writes that a node was lost", within: .seconds(10)) {
                    try await posts(lab).contains { $0.author == "controller" && $0.title.contains("lost") }
                }
            }
        }

        @Test("posts are served with jsonplaceholder's names, to their account only, and survive a kill")
        func served() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let own = try await lab.apiKey("script")
                func ask(
                    _ path: String, _ more: String..., key: String? = nil
                ) async throws -> (status: Int, body: String) {
                    try await lab.curl("\(path)\(path.contains("?") ? "&" : "?")apiKey=\(key ?? own)", more)
                }
                func value<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
                    try JSONDecoder().decode(type, from: Data(try await ask(path).body.utf8))
                }
                let device = try await lab.device("Bedroom 1").id
                let written = try await ask(
                    "posts", "-d", #"{"title":"<b>Leak</b>","body":"x","device":"\#(device)"}"#)
                #expect(written.status == 201, "\(written)")
                let post = try JSONDecoder().decode(PostLine.self, from: Data(written.body.utf8))
                #expect(post.title == "<b>Leak</b>" && post.device == device)
                let path = "posts/\(post.id)"
                #expect(try await ask("\(path)/comments", "-d", #"{"body":"me too"}"#).status == 201)
                try await lab.kill("controller")
                try await lab.eventually("the controller is back", within: .seconds(20)) {
                    try await ask("posts").status == 200
                }
                let posts = try await value([PostLine].self, "posts?_limit=5")
                #expect(posts.filter { $0.author != "controller" }.map(\.commentCount) == [1])
                let comments = try await value([CommentLine].self, "comments?postId=\(post.id)")
                #expect(comments.map(\.body) == ["me too"] && comments.map(\.email) == [Lab.demo])
                #expect(try await ask("users/\(post.userId)").body.contains(Lab.demo))
                #expect(try await ask("posts/999").status == 404)
                #expect(try await ask("posts", key: String(repeating: "0", count: 64)).status == 403)
                #expect(try await ask("posts", "-d", #"{"title":""}"#).status == 400)
                #expect(try await ask(path, "-X", "DELETE").status == 405)
            }
        }
    }
}
