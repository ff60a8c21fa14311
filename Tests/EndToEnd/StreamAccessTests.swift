import FleetProtocol
import Foundation
import ProcessSupport
import Testing

extension EndToEnd {
    @Suite("Access to an account's stream", .timeLimit(.minutes(2)))
    struct StreamAccessTests {
        @Test("a subscriber without a ticket receives nothing, with any prefix")
        func noTicket() async throws {
            try await Lab.withFleet { lab in
                let prefixes = ["", "u", "u/", "u/demo/", String(repeating: "k", count: 32)]
                // Beats come twice a second, and a toggle adds two updates.
                let listener = [Lab.path("Clients/stream_listener.py"), lab.file("stream.sock"), "2"]
                let ended = try await lab.run("/usr/bin/python3", listener + prefixes) { _ in
                    _ = try await lab.toggle("Bedroom 1")
                }
                try #require(ended.status == 0, "\(ended.talk)")
                #expect(ended.output == prefixes.map { "0 '\($0)'\n" }.joined())
            }
        }

        @Test(
            "a ticket opens its own account's stream only; guessed tickets and those of ended sessions fail")
        func ticket() async throws {
            try await Lab.withFleet(devices: 2, ["--allow-signup"]) { lab in
                let demo = try lab.text("session.json")
                try await lab.succeed(
                    "signup", "ann@example.com", "--password-stdin", input: "correct horse\n")
                let ann = try lab.text("session.json")

                let peer = try StreamPeer(try lab.place)
                defer { peer.end() }
                let ticket = try peer.ticket(try StoredSession.read(from: lab.file("session.json")))
                var guess = ticket.ticket.bytes
                guess[31] ^= 1
                let all: [[UInt8]] = [[], Topic.streams, Array("u/demo/".utf8)]
                let owner = try peer.subscriber(to: all + [ticket.ticket.bytes])
                let guesser = try peer.subscriber(to: all + [ticket.topic, guess])
                #expect(try !peer.received(by: owner, for: .seconds(1)).isEmpty)

                try Self.setSession(demo, in: lab)
                _ = try await lab.toggle("Bedroom 1")
                let received = try peer.received(by: owner, for: .seconds(1))
                #expect(!received.isEmpty)
                for (topic, update) in received {
                    #expect(topic.starts(with: ticket.topic) && !update.isLast)
                }
                #expect(try peer.received(by: guesser, for: .milliseconds(100)).isEmpty)

                try Self.setSession(ann, in: lab)
                try await lab.succeed("logout")
                let last = try peer.received(by: owner, for: .seconds(1))
                #expect(last.map(\.update.isLast).last == true)
                #expect(last.count(where: { $0.update.isLast }) == 1)
                let replayer = try peer.subscriber(to: all + [ticket.ticket.bytes])
                #expect(try peer.received(by: replayer, for: .seconds(1)).isEmpty)
                #expect(try peer.received(by: owner, for: .milliseconds(100)).isEmpty)
                #expect(try !lab.logs().contains(ticket.ticket.bytes.hexadecimal))
            }
        }

        /// The ways in which a session ends.
        private enum End: CaseIterable, Sendable {
            case removal, logout, newPassword, revocation
        }

        @Test("an observer receives nothing 1 s after its session has ended, and asks for a login")
        func endedSession() async throws {
            try await Lab.withFleet { lab in
                try await TestObserver.with(lab) { honest in
                    for (index, end) in End.allCases.enumerated() {
                        let session = try await Self.session(endedBy: end, in: lab)
                        try await TestObserver.with(lab, session: session) { observer in
                            try await Self.end(session, by: end, in: lab)
                            let clock = ContinuousClock()
                            let ended = clock.now
                            try await lab.eventually("a second has passed", within: .seconds(20)) {
                                _ = try await lab.toggle("Bedroom 1")
                                return clock.now - ended > .seconds(1)
                            }
                            _ = try await lab.toggle("Bedroom 2")
                            await honest.sees(index + 1) { $0.kind == "outcome" && $0.name == "Bedroom 2" }
                            await observer.sees { $0.message?.contains("fleet login") == true }
                            #expect(await observer.count { $0.name == "Bedroom 2" } == 0, "\(end)")
                        }
                    }
                }
            }
        }

        private static func user(endedBy end: End) -> String { "\(end)@example.com" }

        /// The file of a session, or of an API key in its place, beside that of the user who started the
        /// fleet.
        private static func session(endedBy end: End, in lab: Lab) async throws -> String {
            let (own, other) = (try lab.text("session.json"), lab.file("\(end).json"))
            if end == .revocation {
                try lab.setToken(try await lab.apiKey("script"))
            } else {
                try await lab.addUser(user(endedBy: end), role: "member")
                try await lab.logIn(user(endedBy: end))
            }
            try FileManager.default.copyItem(atPath: lab.file("session.json"), toPath: other)
            try setSession(own, in: lab)
            return other
        }

        private static func end(_ session: String, by end: End, in lab: Lab) async throws {
            switch end {
            case .removal: try await lab.succeed("user", "remove", user(endedBy: end))
            case .newPassword:
                try await lab.succeed(
                    "user", "password", user(endedBy: end), "--password-stdin", input: "another secret\n")
            case .revocation: try await lab.succeed("apikey", "revoke", "script")
            case .logout:
                let own = try lab.text("session.json")
                try setSession(String(contentsOfFile: session, encoding: .utf8), in: lab)
                try await lab.succeed("logout")
                try setSession(own, in: lab)
            }
        }

        /// Replaces the user's session.
        ///
        /// A logout removes the file, and a session that others can read is refused.
        private static func setSession(_ session: String, in lab: Lab) throws {
            try #require(
                FileManager.default.createFile(
                    atPath: lab.file("session.json"), contents: Data(session.utf8),
                    attributes: [.posixPermissions: 0o600]))
        }
    }
}
