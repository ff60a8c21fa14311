import Testing

extension EndToEnd {
    @Suite("Users of an account", .timeLimit(.minutes(1)))
    struct UserTests {
        private struct UserLine: Decodable, Equatable {
            let email: String
            let role: String
            let `operator`: Bool
        }

        @Test("users log in, may do what their role allows, and are refused once they are removed")
        func lifecycle() async throws {
            try await Lab.withFleet { lab in
                let (viewer, member) = ("viewer@example.com", "member@example.com")
                let demoPassword = try lab.text("demo-password")
                try await lab.addUser(viewer, role: "viewer")
                try await lab.addUser(member, role: "member")
                #expect(
                    try await lab.fleet("user", "list", "--json").lines(UserLine.self) == [
                        UserLine(email: Lab.demo, role: "owner", operator: true),
                        UserLine(email: member, role: "member", operator: false),
                        UserLine(email: viewer, role: "viewer", operator: false),
                    ])
                try await lab.logIn(member)
                try await lab.succeed("toggle", "Bedroom 1")
                try await lab.expect(77, "user", "list")
                try await lab.logIn(viewer)
                try await lab.expect(77, "toggle", "Bedroom 1")
                #expect(try await lab.fleet("whoami").output == "\(viewer), viewer of account demo\n")
                try await lab.succeed("devices")
                let token = try lab.token()
                try await lab.logIn(Lab.demo, password: demoPassword)
                try await lab.expect(77, "user", "remove", Lab.demo)
                let removed = try await lab.succeed("user", "remove", viewer)
                #expect(removed.output.contains("1 session ended"))
                try await lab.expect(77, "login", viewer, "--password-stdin", input: Lab.password(of: viewer))
                try lab.setToken(token)
                try await lab.expect(77, "devices")
            }
        }

        @Test(
            "users, passwords and API keys survive a restart of the controller, and keys until they are revoked"
        )
        func stored() async throws {
            try await Lab.withFleet { lab in
                let ann = "ann@example.com"
                try await lab.addUser(ann, role: "member")
                try await lab.succeed(
                    "user", "password", ann, "--password-stdin", input: "another password\n")
                let (key, own) = (try await lab.apiKey("script"), try lab.token())
                try lab.setToken(key)
                try await lab.succeed("toggle", "Bedroom 1")
                try await lab.expect(77, "apikey", "list")
                try await lab.succeed("restart", "controller")
                try await lab.succeed("devices")
                try lab.setToken(own)
                try await lab.succeed("apikey", "revoke", "script")
                try lab.setToken(key)
                try await lab.expect(77, "devices")

                try await lab.expect(77, "login", ann, "--password-stdin", input: Lab.password(of: ann))
                try await lab.logIn(ann, password: "another password\n")
                let log = try lab.text("logs/controller.log")
                for secret in [key, "another", "secret of"] { #expect(!log.contains(secret)) }
            }
        }
    }
}
