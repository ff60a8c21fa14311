import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The logbook")
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
            "the logbook has each acknowledged post once after its controller was killed",
            .timeLimit(.minutes(3)))
        func killed() async throws {
            try await Lab.withFleet { lab in
                for number in 1...12 {
                    let id = Lab.requestID()
                    if number % 4 == 0 { kill(try await lab.processID("controller"), SIGKILL) }
                    try await lab.eventually("post \(number) is written", within: .seconds(20)) {
                        let ended = try await lab.fleet(
                            "post", "write", "post \(number)", "--request-id", id)
                        return ended.status == 0
                    }
                    // A client without an answer sends the post again.
                    let again = try await lab.fleet("post", "write", "post \(number)", "--request-id", id)
                    #expect(again.status == 0, "\(again.talk)")
                }
                let titles = try await posts(lab).filter { $0.author != "controller" }.map(\.title)
                #expect(titles == (1...12).reversed().map { "post \($0)" })
            }
        }

        @Test("the logbook has a post that a node was lost", .timeLimit(.minutes(1)))
        func lost() async throws {
            try await Lab.withFleet { lab in
                let node = try await lab.processID("node-1")
                kill(node, SIGSTOP)
                defer { kill(node, SIGCONT) }
                try await lab.eventually("the post is written", within: .seconds(10)) {
                    try await posts(lab).contains { $0.author == "controller" && $0.title.contains("lost") }
                }
            }
        }

        @Test(
            "posts are served with jsonplaceholder's names, to their account only, and survive a kill",
            .timeLimit(.minutes(2)))
        func served() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let key = try await lab.fleet("apikey", "create", "script").output
                    .trimmingCharacters(in: .newlines)
                let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                    .trimmingCharacters(in: .newlines)
                func ask(_ path: String, _ more: String..., as key: String = key) async throws -> String {
                    let mark = path.contains("?") ? "&" : "?"
                    return try await lab.run(
                        "/usr/bin/curl",
                        ["-sS", "-m", "20", "-w", "\n%{http_code}", "\(url)\(path)\(mark)apiKey=\(key)"]
                            + more
                    ).output
                }
                func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
                    let body = text.split(separator: "\n").dropLast().joined(separator: "\n")
                    return try JSONDecoder().decode(type, from: Data(body.utf8))
                }
                let device = try await lab.device("Bedroom 1")
                let written = try await ask(
                    "posts", "-d", #"{"title":"<b>Leak</b>","body":"x","device":"\#(device.id)"}"#)
                #expect(written.hasSuffix("201"), "\(written)")
                let post = try value(PostLine.self, written)
                #expect(post.title == "<b>Leak</b>")
                #expect(post.device == device.id)
                #expect(
                    try await ask("posts/\(post.id)/comments", "-d", #"{"body":"me too"}"#).hasSuffix("201"))
                kill(try await lab.processID("controller"), SIGKILL)
                try await lab.eventually("the controller is back", within: .seconds(20)) {
                    try await ask("posts").hasSuffix("200")
                }
                let posts = try value([PostLine].self, try await ask("posts?_limit=5"))
                #expect(posts.filter { $0.author != "controller" }.map(\.commentCount) == [1])
                let comments = try value([CommentLine].self, try await ask("comments?postId=\(post.id)"))
                #expect(comments.map(\.body) == ["me too"])
                #expect(comments.map(\.email) == ["demo@sensibus.local"])
                #expect(try await ask("users/\(post.userId)").contains("demo@sensibus.local"))
                #expect(try await ask("posts/999").hasSuffix("404"))
                #expect(try await ask("posts", as: String(repeating: "0", count: 64)).hasSuffix("403"))
                #expect(try await ask("posts", "-d", #"{"title":""}"#).hasSuffix("400"))
                #expect(try await ask("posts/\(post.id)", "-X", "DELETE").hasSuffix("405"))
            }
        }
    }
}
