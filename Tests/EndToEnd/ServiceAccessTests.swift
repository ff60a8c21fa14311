import Foundation
import Testing

extension EndToEnd {
    /// Every request about sites, the roster, posts and queues, by each kind of user, through the gateway.
    @Suite("Sites, the roster, posts and queues over HTTP")
    struct ServiceAccessTests {
        /// A text in the name of the site, the message of the day, the post, and a command's ID.
        private static let secret = "hemmelig"
        private static let password = "a long secret\n"

        private struct Question {
            let method: String
            let path: String
            let body: String

            init(_ method: String, _ path: String, _ body: String = "") {
                self.method = method
                self.path = path
                self.body = body
            }
        }

        /// The expected answers for owners and members, for viewers, and for the owner of another account.
        private typealias Statuses = (member: Int, viewer: Int, stranger: Int)

        private struct SiteLine: Decodable {
            let id: String
        }

        private struct PostLine: Decodable {
            let id: Int
        }

        private static func commandQueue(on device: String) -> String {
            #"{"commands":[{"id":"\#(secret)","device":"\#(device)","takes":"1h","do":"toggle"}]}"#
        }

        private struct Tokens {
            let owner: String
            let member: String
            let viewer: String
            let stranger: String
            let unknown = String(repeating: "0f", count: 32)
        }

        private func token(_ lab: Lab) throws -> String {
            let session = try Data(contentsOf: URL(filePath: lab.file("session.json")))
            let fields = try JSONSerialization.jsonObject(with: session) as? [String: Any]
            return try #require(fields?["token"] as? String)
        }

        /// Those of the account's owner, a member and a viewer, and of the owner of another account.
        private func tokens(_ lab: Lab) async throws -> Tokens {
            func token(_ arguments: String...) async throws -> String {
                let ended = try await lab.fleet(arguments + ["--password-stdin"], input: Self.password)
                try #require(ended.status == 0, "\(ended.talk)")
                return try self.token(lab)
            }
            let owner = try self.token(lab)
            for role in ["member", "viewer"] {
                _ = try await token("user", "add", "\(role)@example.com", "--role", role)
            }
            return Tokens(
                owner: owner, member: try await token("login", "member@example.com"),
                viewer: try await token("login", "viewer@example.com"),
                stranger: try await token("signup", "stranger@example.com"))
        }

        private func ask(
            _ question: Question, with token: String, of lab: Lab
        ) async throws -> (status: Int, body: String) {
            let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                .trimmingCharacters(in: .newlines)
            var arguments = ["-sS", "-m", "20", "-X", question.method, "-w", "\n%{http_code}"]
            arguments += ["-H", "Authorization: Bearer \(token)"]
            if !question.body.isEmpty { arguments += ["-d", question.body] }
            let asked = try await lab.run("/usr/bin/curl", arguments + [url + question.path])
            try #require(asked.status == 0, "\(asked.talk)")
            let lines = asked.output.split(separator: "\n", omittingEmptySubsequences: false)
            return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
        }

        @Test(
            "requests for sites, roster, posts and queues are answered to permitted users only",
            .timeLimit(.minutes(3)))
        func matrix() async throws {
            try await Lab.withLab { lab in
                let up = try await lab.fleet("up", "--detach", "--devices", "2", "--allow-signup")
                try #require(up.status == 0, "\(up.talk)")
                let device = try await lab.device("Bedroom 1").id
                let running = Lab.requestID()
                for line in [
                    ["site", "add", Self.secret], ["roster", "set", "--message", Self.secret],
                    ["post", "write", Self.secret],
                ] {
                    let ended = try await lab.fleet(line)
                    try #require(ended.status == 0, "\(ended.talk)")
                }
                let site = try await lab.fleet("site", Self.secret, "--json").line(SiteLine.self).id
                let post = try await lab.fleet("post", "list", "--json").line(PostLine.self).id
                let tokens = try await tokens(lab)
                let plan = Self.commandQueue(on: device)
                let start = Question("PUT", "queues/\(running)", plan)
                #expect(try await ask(start, with: tokens.owner, of: lab).status == 200)
                let questions: [(Question, Statuses)] = [
                    (Question("GET", "sites"), (200, 200, 200)),
                    (Question("GET", "sites/\(site)"), (200, 200, 404)),
                    (
                        Question("PUT", "labels/\(device)", #"{"labels":["\#(Self.secret)"]}"#),
                        (200, 403, 404)
                    ),
                    (Question("GET", "labels"), (200, 200, 200)),
                    (Question("GET", "roster"), (200, 200, 200)),
                    (Question("GET", "posts"), (200, 200, 200)),
                    (Question("GET", "posts/\(post)"), (200, 200, 404)),
                    (Question("GET", "posts/\(post)/comments"), (200, 200, 404)),
                    (Question("GET", "queues"), (200, 200, 200)),
                    (Question("GET", "queues/\(running)"), (200, 200, 404)),
                    (start, (200, 403, 404)),
                    (Question("POST", "posts/\(post)/comments", #"{"body":"seen"}"#), (201, 403, 404)),
                    (Question("POST", "queues/\(running)/pause"), (200, 403, 404)),
                    (Question("POST", "queues/\(running)/resume"), (200, 403, 404)),
                ]
                for (question, expected) in questions {
                    for (who, token, status) in [
                        ("owner", tokens.owner, expected.member),
                        ("member", tokens.member, expected.member),
                        ("viewer", tokens.viewer, expected.viewer),
                        ("stranger", tokens.stranger, expected.stranger),
                        ("nobody", tokens.unknown, 401),
                    ] {
                        let answer = try await ask(question, with: token, of: lab)
                        let cell = "\(who): \(question.method) \(question.path): \(answer)"
                        #expect(answer.status == status, "\(cell)")
                        if who == "stranger" || who == "nobody" {
                            #expect(!answer.body.contains(Self.secret), "\(cell)")
                        }
                    }
                }
                let others = Question("POST", "queues/\(running)/cancel")
                #expect(try await ask(others, with: tokens.member, of: lab).status == 200)
                let page = try await ask(Question("GET", "page/sites"), with: tokens.owner, of: lab)
                #expect(page.status == 401, "the page's routes accept its cookie only")
            }
        }

        @Test(
            "a queue file sent by PUT starts once, and an invalid one is refused with its error",
            .timeLimit(.minutes(2)))
        func written() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let owner = try token(lab)
                let id = Lab.requestID()
                let plan = "device: \(device.id)\ncommands: [{do: toggle}, {do: toggle}, {do: toggle}]"
                let start = Question("PUT", "queues/\(id)", plan)
                for _ in 1...2 { #expect(try await ask(start, with: owner, of: lab).status == 200) }
                try await lab.eventually("the queue has ended", within: .seconds(30)) {
                    let reported = try await ask(
                        Question("GET", "queues/\(id)"), with: owner, of: lab)
                    return reported.body.contains(#""state":"done""#)
                }
                #expect(try await lab.device("Bedroom 1").version == device.version + 3)
                for (body, text) in [
                    ("commands: [{do: toggle}]", "no device"), ("[", "queue"),
                    ("device: Hall\ncommands: [{do: toggle}]", "Hall is not a device ID"),
                    ("device: \(device.id)\ncommands: [{do: dance}]", "toggle"),
                ] {
                    let path = "queues/\(Lab.requestID())"
                    let answer = try await ask(
                        Question("PUT", path, body), with: owner, of: lab)
                    #expect(answer.status == 400 && answer.body.contains(text), "\(answer)")
                }
                let former = try await ask(Question("GET", "sequences/\(id)"), with: owner, of: lab)
                #expect(former.status == 200 && former.body.contains(id), "\(former)")
                let lists = try await ask(Question("GET", "sequences"), with: owner, of: lab).body
                #expect(lists.contains(#""queues":["#) && lists.contains(#""sequences":["#), "\(lists)")
                let other = Question("PUT", "queues/\(id)", plan + "\non-failure: go-on")
                #expect(
                    try await ask(other, with: owner, of: lab).status == 400, "another plan with the same ID")
            }
        }
    }
}
