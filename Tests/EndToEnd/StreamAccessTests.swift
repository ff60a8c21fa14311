import FleetProtocol
import Foundation
import ProcessSupport
import Testing

extension EndToEnd {
    @Suite("Access to an account's stream")
    struct StreamAccessTests {
        private static let clients = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Clients")

        @Test(
            "a subscriber without a ticket receives nothing, with any prefix", .timeLimit(.minutes(1)))
        func noTicket() async throws {
            try await Lab.withFleet { lab in
                let prefixes = ["", "u", "u/", "u/demo/", String(repeating: "k", count: 32)]
                // Beats come twice a second, and a toggle adds two updates.
                let ended = try await lab.run(
                    "/usr/bin/python3",
                    [Self.clients.appending(path: "stream_listener.py").path(), lab.file("stream.sock"), "2"]
                        + prefixes
                ) { _ in _ = try await lab.fleet("toggle", "Bedroom 1") }
                try #require(ended.status == 0, "\(ended.talk)")
                #expect(ended.output == prefixes.map { "0 '\($0)'\n" }.joined())
            }
        }

        @Test(
            "a ticket opens its own account's stream only; guessed tickets and those of ended sessions fail",
            .timeLimit(.minutes(2)))
        func ticket() async throws {
            try await Lab.withLab { lab in
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "2", "--no-gateway", "--allow-signup")
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let file = URL(filePath: lab.file("session.json"))
                let demo = try Data(contentsOf: file)
                let signedUp = try await lab.fleet(
                    ["signup", "ann@example.com", "--password-stdin"], input: "correct horse\n")
                try #require(signedUp.status == 0, "\(signedUp.talk)")
                let ann = try StoredSession.read(from: file.path())
                let annsFile = try Data(contentsOf: file)

                let peer = try StreamPeer(try lab.place)
                defer { peer.end() }
                let ticket = try peer.ticket(ann)
                var guess = ticket.ticket.bytes
                guess[31] ^= 1
                let all: [[UInt8]] = [[], Topic.streams, Array("u/demo/".utf8)]
                let owner = try peer.subscriber(to: all + [ticket.ticket.bytes])
                let guesser = try peer.subscriber(to: all + [ticket.topic, guess])
                #expect(try !peer.received(by: owner, for: .seconds(1)).isEmpty)

                try demo.write(to: file)
                _ = try await lab.fleet("toggle", "Bedroom 1")
                let received = try peer.received(by: owner, for: .seconds(1))
                #expect(!received.isEmpty)
                for (topic, update) in received {
                    #expect(topic.starts(with: ticket.topic) && !update.isLast)
                }
                #expect(try peer.received(by: guesser, for: .milliseconds(100)).isEmpty)

                try annsFile.write(to: file)
                let ended = try await lab.fleet("logout")
                try #require(ended.status == 0, "\(ended.talk)")
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
        enum End: CaseIterable, Sendable {
            case removal, logout, newPassword, revocation
        }

        @Test(
            "an observer receives nothing 1 s after its session has ended, and asks for a login",
            .timeLimit(.minutes(1)), arguments: End.allCases)
        func endedSession(end: End) async throws {
            try await Lab.withFleet { lab in
                let session = try await Self.session(endedBy: end, in: lab)
                try await TestObserver.with(lab) { honest in
                    try await TestObserver.with(lab, session: session) { observer in
                        await observer.sees { $0.kind == "resync" }
                        await honest.sees { $0.kind == "resync" }
                        try await Self.end(session, by: end, in: lab)
                        let clock = ContinuousClock()
                        let ended = clock.now
                        try await lab.eventually("a second has passed", within: .seconds(20)) {
                            _ = try await lab.fleet("toggle", "Bedroom 1")
                            return clock.now - ended > .seconds(1)
                        }
                        _ = try await lab.fleet("toggle", "Bedroom 2")
                        await honest.sees { $0.kind == "outcome" && $0.name == "Bedroom 2" }
                        await observer.sees { $0.message?.contains("fleet login") == true }
                        #expect(await observer.count { $0.name == "Bedroom 2" } == 0)
                    }
                }
            }
        }

        /// The file of a session, or of an API key in its place, beside that of the user who started the
        /// fleet.
        private static func session(endedBy end: End, in lab: Lab) async throws -> String {
            let (own, other) = (URL(filePath: lab.file("session.json")), lab.file("other-session.json"))
            let stored = try Data(contentsOf: own)
            if end == .revocation {
                let created = try await lab.fleet("apikey", "create", "script")
                try #require(created.status == 0, "\(created.talk)")
                var session = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
                session["token"] = created.output.trimmingCharacters(in: .newlines)
                let copied = try JSONSerialization.data(withJSONObject: session)
                try FileManager.default.copyItem(atPath: own.path(), toPath: other)
                try copied.write(to: URL(filePath: other))
                return other
            }
            let added = try await lab.fleet(
                ["user", "add", "ann@example.com", "--role", "member", "--password-stdin"],
                input: "secret of Ann\n")
            try #require(added.status == 0, "\(added.talk)")
            let login = try await lab.fleet(
                ["login", "ann@example.com", "--password-stdin"], input: "secret of Ann\n")
            try #require(login.status == 0, "\(login.talk)")
            try FileManager.default.copyItem(atPath: own.path(), toPath: other)
            try stored.write(to: own)
            return other
        }

        private static func end(_ session: String, by end: End, in lab: Lab) async throws {
            let ended =
                switch end {
                case .removal: try await lab.fleet("user", "remove", "ann@example.com")
                case .newPassword:
                    try await lab.fleet(
                        ["user", "password", "ann@example.com", "--password-stdin"],
                        input: "another secret\n")
                case .revocation: try await lab.fleet("apikey", "revoke", "script")
                case .logout: try await logout(session, in: lab)
                }
            try #require(ended.status == 0, "\(ended.talk)")
        }

        /// Logs out with that session, and restores the own one.
        private static func logout(_ session: String, in lab: Lab) async throws -> Lab.Ended {
            let own = URL(filePath: lab.file("session.json"))
            let stored = try Data(contentsOf: own)
            try Data(contentsOf: URL(filePath: session)).write(to: own)
            let ended = try await lab.fleet("logout")
            // A logout removes the file, and a session that others can read is refused.
            _ = FileManager.default.createFile(
                atPath: own.path(), contents: stored, attributes: [.posixPermissions: 0o600])
            return ended
        }
    }
}
