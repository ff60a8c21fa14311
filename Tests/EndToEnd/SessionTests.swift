import Foundation
import Testing

extension EndToEnd {
    @Suite("Sessions of the command line")
    struct SessionTests {
        @Test("a logout ends the session, and a login needs the right password", .timeLimit(.minutes(1)))
        func loginLogout() async throws {
            try await Lab.withFleet { lab in
                let password = try String(contentsOfFile: lab.file("demo-password"), encoding: .utf8)
                #expect(try await lab.fleet("logout").status == 0)
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 77)
                let wrong = try await lab.fleet(
                    ["login", "demo@sensibus.local", "--password-stdin"], input: "not it\n")
                #expect(wrong.status == 77)
                #expect(try await lab.fleet("devices").status == 77)
                let stranger = try await lab.fleet(
                    ["login", "nobody@sensibus.local", "--password-stdin"], input: password)
                #expect(stranger.status == 77)
                #expect(stranger.talk == wrong.talk.replacing("demo@", with: "nobody@"))
                let right = try await lab.fleet(
                    ["login", "demo@sensibus.local", "--password-stdin"], input: password)
                #expect(right.status == 0, "\(right.talk)")
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
            }
        }

        @Test("a forged session token is refused", .timeLimit(.minutes(1)))
        func forgedToken() async throws {
            try await Lab.withFleet { lab in
                let path = lab.file("session.json")
                let file = try String(contentsOfFile: path, encoding: .utf8)
                let forged = file.replacing(/"token" : "[0-9a-f]{64}"/) { _ in
                    "\"token\" : \"\(String(repeating: "ab", count: 32))\""
                }
                try #require(forged != file)
                try forged.write(toFile: path, atomically: false, encoding: .utf8)
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 77)
            }
        }
    }
}
