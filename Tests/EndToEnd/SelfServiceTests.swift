import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Sign-up and password reset", .timeLimit(.minutes(2)))
    struct SelfServiceTests {
        /// The token of the newest message in an outbox, once there is one.
        private func token(in outbox: String, of lab: Lab) async throws -> String {
            let message = Box<String>()
            try await lab.eventually("a message has been written", within: .seconds(20)) {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: outbox)) ?? []
                let messages = names.filter { $0.hasSuffix(".eml") }
                message.value = messages.count == 1 ? messages[0] : nil
                return message.value != nil
            }
            let path = "\(outbox)/\(try #require(message.value))"
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            return String(try #require(lines.first { $0.count == 64 && $0.allSatisfy(\.isHexDigit) }))
        }

        @Test("users sign up and reset passwords, also across a kill of the controller")
        func lifecycle() async throws {
            try await Lab.withFleet(devices: 3, ["--allow-signup", "--outbox", "outbox"]) { lab in
                let ann = "ann@example.com"
                try await lab.succeed("signup", ann, "--password-stdin", input: "correct horse\n")
                #expect(try await lab.devices().isEmpty)
                #expect(try await lab.fleet("user", "list").output.contains(ann))
                try await lab.expect(77, "signup", Lab.demo, "--password-stdin", input: "guessed wrong\n")
                for email in [ann, "nobody@example.com"] {
                    let asked = try await lab.succeed("password", "forgot", email)
                    #expect(asked.output.contains("a code has been sent"))
                }
                let token = try await token(in: "\(lab.directory)/outbox", of: lab)
                try await lab.succeed("restart", "controller")
                let input = "\(token)\nbattery staple\n"
                let reset = try await lab.succeed("password", "reset", "--stdin", input: input)
                #expect(reset.output.contains("1 session ended"))
                try await lab.expect(77, "devices")
                try await lab.expect(77, "password", "reset", "--stdin", input: input)
                try await lab.expect(77, "login", ann, "--password-stdin", input: "correct horse\n")
                try await lab.logIn(ann, password: "battery staple\n")
                let logs = try lab.logs()
                for secret in [token, "correct horse", "battery staple", "guessed wrong"] {
                    #expect(!logs.contains(secret))
                }
                let store = try Data(contentsOf: URL(filePath: lab.file("controller.sqlite")))
                #expect(store.range(of: Data(token.utf8)) == nil)
            }
        }

        @Test("reset tokens are passed to a program, and sign-up is refused without its option")
        func command() async throws {
            try await Lab.withLab { lab in
                let outbox = "\(lab.directory)/sent"
                try FileManager.default.createDirectory(atPath: outbox, withIntermediateDirectories: false)
                let program = try lab.write(
                    "#!/bin/sh\ncat >\"$1/new\" && mv \"$1/new\" \"$1/1.eml\"\n", to: "send")
                #expect(chmod(program, 0o700) == 0)
                try await lab.up(devices: 3, ["--outbox-command", "\(program) \(outbox)"])
                try await lab.succeed("password", "forgot", Lab.demo)
                let token = try await token(in: outbox, of: lab)
                try await lab.succeed("password", "reset", "--stdin", input: "\(token)\nbattery staple\n")
                try await lab.expect(
                    77, "signup", "ann@example.com", "--password-stdin", input: "secret\n",
                    saying: ["sign-up is disabled"])
            }
        }
    }
}
