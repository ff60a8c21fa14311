import Testing

extension EndToEnd {
    /// The programs in the documentation of the libraries.
    @Suite("Snippets of the documentation", .timeLimit(.minutes(1)))
    struct SnippetTests {
        @Test(
            "a snippet prints what its documentation says",
            arguments: [
                ("SendMessage", "hello\n"),
                ("MonitorConnections", "1: handshakeSucceeded\n2: disconnected\n"),
                (
                    "EncodeCommand",
                    """
                    42 bytes, equal after decoding: true
                    refused: not a protobuf message of package sensibus.v1
                    target temperature 99 °C: mode cool allows 16 to 30 °C

                    """
                ),
                // Its replies in order.
                ("RequestReply", "one → ONE\ntwo → TWO\nthree → THREE\n"),
                // At the pace of the reader.
                ("AwaitMessages", "1 to 100 is 5050\ncancelled\nhello\n"),
            ])
        func output(of snippet: String, is expected: String) async throws {
            let output = try await Lab.withLab { try await Self.run(snippet, in: $0) }
            #expect(output == expected)
        }

        @Test("the snippets StepReplica and PublishSubscribe detect a lost update, and lose no message")
        func streams() async throws {
            try await Lab.withLab { lab in
                let stepped = try await Self.run("StepReplica", in: lab)
                let lines = stepped.split(separator: "\n").filter { !$0.hasPrefix("event at ") }
                #expect(lines == ["complete: true", "the device is on: true", "stale: gap"])
                let published = try await Self.run("PublishSubscribe", in: lab)
                #expect(published.contains("temperature/oslo: 10 °C"), "\(published)")
                #expect(published.contains("10 of 10 readings received"), "\(published)")
            }
        }

        @Test(
            "the snippets FollowFleet and ToggleDevice get a complete replica of a fleet, and toggle a device"
        )
        func fleet() async throws {
            try await Lab.withFleet { lab in
                let followed = try await Self.run("FollowFleet", in: lab)
                #expect(followed.hasSuffix("the replica has 20 devices\n"), "\(followed)")
                let lines = try await Self.run("ToggleDevice", in: lab).split(separator: "\n")
                #expect(lines.first?.contains(": applied(") == true)
                #expect(lines.dropFirst().count { $0.hasPrefix("update ") } == 3)
                #expect(try await lab.devices().count { $0.version == 2 } == 1)
            }
        }

        private static func run(_ snippet: String, in lab: Lab) async throws -> String {
            let ended = try await lab.run(snippet, [])
            #expect(ended.status == 0, "\(snippet): \(ended.talk)")
            return ended.output
        }
    }
}
