import Foundation
import Testing

extension EndToEnd {
    /// Every request about sites, the roster, posts and queues, by each kind of user, through the gateway.
    @Suite("Sites, the roster, posts and queues over HTTP", .timeLimit(.minutes(3)))
    struct ServiceAccessTests {
        /// A text in the name of the site, the message of the day, the post, and a command's ID.
        private static let secret = "hemmelig"
        private struct Question: CustomStringConvertible {
            let method: String
            let path: String
            let body: String

            init(_ method: String, _ path: String, _ body: String = "") {
                (self.method, self.path, self.body) = (method, path, body)
            }

            var description: String { "\(method) \(path)" }
        }

        /// The expected answers for owners and members, for viewers, and for the owner of another account.
        private typealias Statuses = (member: Int, viewer: Int, stranger: Int)

        private struct SiteLine: Decodable {
            let id: String
        }

        private struct PostLine: Decodable {
            let id: Int
        }

        private func ask(
            _ question: Question, with token: String, of lab: Lab
        ) async throws -> (status: Int, body: String) {
            let body = question.body.isEmpty ? [] : ["-d", question.body]
            let header = ["-H", "Authorization: Bearer \(token)"]
            return try await lab.curl(question.path, ["-X", question.method] + header + body)
        }

        @Test("requests for sites, roster, posts and queues are answered to permitted users only")
        func matrix() async throws {
            try await Lab.withFleet(devices: 2, gateway: true, ["--allow-signup"]) { lab in
                let device = try await lab.device("Bedroom 1").id
                for line in [
                    ["site", "add", Self.secret], ["roster", "set", "--message", Self.secret],
                    ["post", "write", Self.secret],
                ] { try await lab.succeed(line) }
                let site =
                    "sites/\(try await lab.fleet("site", Self.secret, "--json").line(SiteLine.self).id)"
                let post = "posts/\(try await lab.fleet("post", "list", "--json").line(PostLine.self).id)"
                let owner = try lab.token()
                var tokens = ["owner": owner, "nobody": String(repeating: "0f", count: 32)]
                for role in ["member", "viewer"] {
                    try await lab.addUser("\(role)@example.com", role: role)
                }
                for role in ["member", "viewer"] {
                    try await lab.logIn("\(role)@example.com")
                    tokens[role] = try lab.token()
                }
                try await lab.succeed(
                    "signup", "stranger@example.com", "--password-stdin", input: "a long secret\n")
                tokens["stranger"] = try lab.token()

                let queue = "queues/\(Lab.requestID())"
                let plan =
                    #"{"commands":[{"id":"\#(Self.secret)","device":"\#(device)","takes":"1h","do":"toggle"}]}"#
                let start = Question("PUT", queue, plan)
                #expect(try await ask(start, with: owner, of: lab).status == 200)
                let label = #"{"labels":["\#(Self.secret)"]}"#
                let questions: [(Question, Statuses)] = [
                    (Question("GET", "sites"), (200, 200, 200)),
                    (Question("GET", site), (200, 200, 404)),
                    (Question("PUT", "labels/\(device)", label), (200, 403, 404)),
                    (Question("GET", "labels"), (200, 200, 200)),
                    (Question("GET", "roster"), (200, 200, 200)),
                    (Question("GET", "posts"), (200, 200, 200)),
                    (Question("GET", post), (200, 200, 404)),
                    (Question("GET", "\(post)/comments"), (200, 200, 404)),
                    (Question("GET", "queues"), (200, 200, 200)),
                    (Question("GET", queue), (200, 200, 404)),
                    (start, (200, 403, 404)),
                    (Question("POST", "\(post)/comments", #"{"body":"seen"}"#), (201, 403, 404)),
                    (Question("POST", "\(queue)/pause"), (200, 403, 404)),
                    (Question("POST", "\(queue)/resume"), (200, 403, 404)),
                ]
                for (question, expected) in questions {
                    for (who, token) in tokens.sorted(by: { $0.key < $1.key }) {
                        let answer = try await ask(question, with: token, of: lab)
                        let statuses = [
                            "owner": expected.member, "member": expected.member, "viewer": expected.viewer,
                            "stranger": expected.stranger, "nobody": 401,
                        ]
                        #expect(answer.status == statuses[who], "\(who): \(question): \(answer)")
                        if who == "stranger" || who == "nobody" {
                            #expect(!answer.body.contains(Self.secret), "\(who): \(question): \(answer)")
                        }
                    }
                }
                let cancel = Question("POST", "\(queue)/cancel")
                let member = try #require(tokens["member"])
                #expect(try await ask(cancel, with: member, of: lab).status == 200)
                let page = try await ask(Question("GET", "page/sites"), with: owner, of: lab)
                #expect(page.status == 401, "the page's routes accept its cookie only")
            }
        }

        @Test("a queue file sent by PUT starts once, and an invalid one is refused with its error")
        func written() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let (owner, id) = (try lab.token(), Lab.requestID())
                func ask(
                    _ method: String, _ path: String, _ body: String = ""
                ) async throws -> (status: Int, body: String) {
                    try await self.ask(Question(method, path, body), with: owner, of: lab)
                }
                let plan = "device: \(device.id)\ncommands: [{do: toggle}, {do: toggle}, {do: toggle}]"
                for _ in 1...2 { #expect(try await ask("PUT", "queues/\(id)", plan).status == 200) }
                try await lab.eventually("the queue has ended", within: .seconds(30)) {
                    try await ask("GET", "queues/\(id)").body.contains(#""state":"done""#)
                }
                #expect(try await lab.device("Bedroom 1").version == device.version + 3)
                for (body, text) in [
                    ("commands: [{do: toggle}]", "no device"), ("[", "queue"),
                    ("device: Hall\ncommands: [{do: toggle}]", "Hall is not a device ID"),
                    ("device: \(device.id)\ncommands: [{do: dance}]", "toggle"),
                ] {
                    let answer = try await ask("PUT", "queues/\(Lab.requestID())", body)
                    #expect(answer.status == 400 && answer.body.contains(text), "\(answer)")
                }
                let former = try await ask("GET", "sequences/\(id)")
                #expect(former.status == 200 && former.body.contains(id), "\(former)")
                let lists = try await ask("GET", "sequences").body
                #expect(lists.contains(#""queues":["#) && lists.contains(#""sequences":["#), "\(lists)")
                let other = try await ask("PUT", "queues/\(id)", plan + "\non-failure: go-on")
                #expect(other.status == 400, "another plan with the same ID")
            }
        }
    }
}
