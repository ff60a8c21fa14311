import Testing

extension EndToEnd {
    @Suite("Sessions of the command line", .timeLimit(.minutes(1)))
    struct SessionTests {
        @Test("a logout ends the session, a login needs the right password, and a forged token is refused")
        func loginLogout() async throws {
            try await Lab.withFleet { lab in
                let password = try lab.text("demo-password")
                try await lab.expect(77, "password", "forgot", Lab.demo, saying: ["--outbox"])
                try await lab.succeed("logout")
                try await lab.expect(77, "toggle", "Bedroom 1")
                let wrong = try await lab.expect(77, "login", Lab.demo, "--password-stdin", input: "not it\n")
                try await lab.expect(77, "devices")
                let stranger = try await lab.expect(
                    77, "login", "nobody@sensibus.local", "--password-stdin", input: password)
                #expect(stranger.talk == wrong.talk.replacing("demo@", with: "nobody@"))
                try await lab.logIn(Lab.demo, password: password)
                try await lab.succeed("toggle", "Bedroom 1")

                try lab.setToken(String(repeating: "ab", count: 32))
                try await lab.expect(77, "toggle", "Bedroom 1")
            }
        }
    }
}
