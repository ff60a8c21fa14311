import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Sign-up and password reset")
    struct SelfServiceTests {
        private func login(_ email: String, _ password: String, in lab: Lab) async throws -> Int32 {
            try await lab.fleet(["login", email, "--password-stdin"], input: "\(password)\n").status
        }

        /// The token of the newest message, once there are that many.
        private func token(_ count: Int, in outbox: String, of lab: Lab) async throws -> String {
            var names: [String] = []
            try await lab.eventually("\(count) messages have been written", within: .seconds(20)) {
                names = (try? FileManager.default.contentsOfDirectory(atPath: outbox)) ?? []
                names = names.filter { $0.hasSuffix(".eml") }.sorted()
                return names.count == count
            }
            let newest = try #require(names.last)
            let text = try String(contentsOfFile: "\(outbox)/\(newest)", encoding: .utf8)
            return try #require(
                text.split(separator: "\n").map(String.init).first {
                    $0.count == 64 && $0.allSatisfy(\.isHexDigit)
                })
        }

        @Test(
            "users sign up and reset passwords, also across a kill of the controller",
            .timeLimit(.minutes(2)))
        func lifecycle() async throws {
            try await Lab.withLab { lab in
                let outbox = "\(lab.directory)/outbox"
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "3", "--no-gateway", "--allow-signup",
                    "--outbox", outbox)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let signedUp = try await lab.fleet(
                    ["signup", "ann@example.com", "--password-stdin"], input: "correct horse\n")
                #expect(signedUp.status == 0, "\(signedUp.talk)")
                #expect(try await lab.devices().isEmpty)
                #expect(try await lab.fleet("user", "list").output.contains("ann@example.com"))
                let registered = try await lab.fleet(
                    ["signup", "demo@sensibus.local", "--password-stdin"], input: "guessed wrong\n")
                #expect(registered.status == 77)
                for email in ["ann@example.com", "nobody@example.com"] {
                    let asked = try await lab.fleet("password", "forgot", email)
                    #expect(asked.status == 0, "\(asked.talk)")
                    #expect(asked.output.contains("a code has been sent"))
                }
                let token = try await token(1, in: outbox, of: lab)
                #expect(try await lab.fleet("restart", "controller").status == 0)
                let input = "\(token)\nbattery staple\n"
                let reset = try await lab.fleet(["password", "reset", "--stdin"], input: input)
                #expect(reset.status == 0, "\(reset.talk)")
                #expect(reset.output.contains("1 session ended"))
                #expect(try await lab.fleet("devices").status == 77)
                #expect(try await lab.fleet(["password", "reset", "--stdin"], input: input).status == 77)
                #expect(try await login("ann@example.com", "correct horse", in: lab) == 77)
                #expect(try await login("ann@example.com", "battery staple", in: lab) == 0)
                let logs = try lab.logs()
                for secret in [token, "correct horse", "battery staple", "guessed wrong"] {
                    #expect(!logs.contains(secret))
                }
                let store = try Data(contentsOf: URL(filePath: lab.file("controller.sqlite")))
                #expect(store.range(of: Data(token.utf8)) == nil)
            }
        }

        @Test(
            "reset tokens are passed to a program, and without one the reset says so", .timeLimit(.minutes(2))
        )
        func command() async throws {
            try await Lab.withLab { lab in
                let outbox = "\(lab.directory)/sent"
                try FileManager.default.createDirectory(atPath: outbox, withIntermediateDirectories: false)
                let program = "\(lab.directory)/send"
                try Data("#!/bin/sh\ncat >\"$1/new\" && mv \"$1/new\" \"$1/1.eml\"\n".utf8)
                    .write(to: URL(filePath: program))
                #expect(chmod(program, 0o700) == 0)
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "3", "--no-gateway", "--outbox-command",
                    "\(program) \(outbox)")
                try #require(up.status == 0, "fleet up: \(up.talk)")
                #expect(try await lab.fleet("password", "forgot", "demo@sensibus.local").status == 0)
                let token = try await token(1, in: outbox, of: lab)
                let reset = try await lab.fleet(
                    ["password", "reset", "--stdin"], input: "\(token)\nbattery staple\n")
                #expect(reset.status == 0, "\(reset.talk)")
                let refused = try await lab.fleet(
                    ["signup", "ann@example.com", "--password-stdin"], input: "secret\n")
                #expect(refused.status == 77 && refused.talk.contains("sign-up is disabled"))
            }
        }

        @Test(
            "sign-up and password reset are refused in a fleet without the options", .timeLimit(.minutes(1)))
        func closed() async throws {
            try await Lab.withFleet(devices: 3) { lab in
                let refused = try await lab.fleet("password", "forgot", "demo@sensibus.local")
                #expect(refused.status == 77 && refused.talk.contains("--outbox"))
            }
        }
    }
}
