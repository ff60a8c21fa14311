import Foundation
import Testing

extension EndToEnd {
    @Suite("Users of an account")
    struct UserTests {
        private struct UserLine: Decodable, Equatable {
            let email: String
            let role: String
            let `operator`: Bool
        }

        private func add(_ email: String, _ role: String, in lab: Lab) async throws {
            let added = try await lab.fleet(
                ["user", "add", email, "--role", role, "--password-stdin"], input: "secret of \(email)\n")
            try #require(added.status == 0, "\(added.talk)")
        }

        private func login(_ email: String, in lab: Lab, password: String? = nil) async throws -> Int32 {
            try await lab.fleet(
                ["login", email, "--password-stdin"], input: password ?? "secret of \(email)\n"
            ).status
        }

        @Test(
            "users log in, may do what their role allows, and are refused once they are removed",
            .timeLimit(.minutes(1)))
        func lifecycle() async throws {
            try await Lab.withFleet { lab in
                let demoPassword = try String(contentsOfFile: lab.file("demo-password"), encoding: .utf8)
                try await add("viewer@example.com", "viewer", in: lab)
                try await add("member@example.com", "member", in: lab)
                #expect(
                    try await lab.fleet("user", "list", "--json").lines(UserLine.self) == [
                        UserLine(email: "demo@sensibus.local", role: "owner", operator: true),
                        UserLine(email: "member@example.com", role: "member", operator: false),
                        UserLine(email: "viewer@example.com", role: "viewer", operator: false),
                    ])
                #expect(try await login("member@example.com", in: lab) == 0)
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
                #expect(try await lab.fleet("user", "list").status == 77)
                #expect(try await login("viewer@example.com", in: lab) == 0)
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 77)
                #expect(
                    try await lab.fleet("whoami").output
                        == "viewer@example.com, viewer of account demo\n")
                #expect(try await lab.fleet("devices").status == 0)
                let session = try Data(contentsOf: URL(filePath: lab.file("session.json")))
                try #require(try await login("demo@sensibus.local", in: lab, password: demoPassword) == 0)
                #expect(try await lab.fleet("user", "remove", "demo@sensibus.local").status == 77)
                let removed = try await lab.fleet("user", "remove", "viewer@example.com")
                #expect(removed.status == 0, "\(removed.talk)")
                #expect(removed.output.contains("1 session ended"))
                #expect(try await login("viewer@example.com", in: lab) == 77)
                try session.write(to: URL(filePath: lab.file("session.json")))
                #expect(try await lab.fleet("devices").status == 77)
            }
        }

        @Test("users and changed passwords survive a kill of the controller", .timeLimit(.minutes(1)))
        func stored() async throws {
            try await Lab.withFleet { lab in
                try await add("ann@example.com", "member", in: lab)
                let changed = try await lab.fleet(
                    ["user", "password", "ann@example.com", "--password-stdin"], input: "another password\n")
                #expect(changed.status == 0, "\(changed.talk)")
                #expect(try await lab.fleet("restart", "controller").status == 0)
                #expect(try await login("ann@example.com", in: lab) == 77)
                #expect(try await login("ann@example.com", in: lab, password: "another password\n") == 0)
                let log = try String(contentsOfFile: lab.file("logs/controller.log"), encoding: .utf8)
                #expect(!log.contains("another") && !log.contains("secret of"))
            }
        }

        @Test(
            "API keys act for their user across a kill of the controller, until they are revoked",
            .timeLimit(.minutes(1)))
        func keys() async throws {
            try await Lab.withFleet { lab in
                let created = try await lab.fleet("apikey", "create", "script")
                try #require(created.status == 0, "\(created.talk)")
                let key = created.output.trimmingCharacters(in: .newlines)
                let file = URL(filePath: lab.file("session.json"))
                let own = try Data(contentsOf: file)
                var session = try #require(try JSONSerialization.jsonObject(with: own) as? [String: Any])
                session["token"] = key
                try JSONSerialization.data(withJSONObject: session).write(to: file)
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
                #expect(try await lab.fleet("apikey", "list").status == 77)
                #expect(try await lab.fleet("restart", "controller").status == 0)
                #expect(try await lab.fleet("devices").status == 0)
                let log = try String(contentsOfFile: lab.file("logs/controller.log"), encoding: .utf8)
                #expect(!log.contains(key))
                try own.write(to: file)
                #expect(try await lab.fleet("apikey", "revoke", "script").status == 0)
                try JSONSerialization.data(withJSONObject: session).write(to: file)
                #expect(try await lab.fleet("devices").status == 77)
            }
        }
    }
}
