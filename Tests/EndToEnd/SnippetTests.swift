import Testing

extension EndToEnd {
    /// The programs in the documentation of the libraries.
    @Suite("Snippets of the documentation")
    struct SnippetTests {
        @Test(
            "a snippet prints what its documentation says", .timeLimit(.minutes(1)),
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
            ])
        func output(of snippet: String, is expected: String) async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.run(snippet, [])
                #expect(ended.status == 0, "\(ended.talk)")
                #expect(ended.output == expected)
            }
        }

        @Test("the snippet StepReplica detects a lost update", .timeLimit(.minutes(1)))
        func stepReplica() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.run("StepReplica", [])
                #expect(ended.status == 0, "\(ended.talk)")
                let lines = ended.output.split(separator: "\n").filter { !$0.hasPrefix("event at ") }
                #expect(lines == ["complete: true", "the device is on: true", "stale: gap"])
            }
        }

        @Test("the snippet FollowFleet gets a complete replica", .timeLimit(.minutes(1)))
        func followFleet() async throws {
            try await Lab.withFleet { lab in
                let ended = try await lab.run("FollowFleet", [])
                #expect(ended.status == 0, "\(ended.talk)")
                #expect(ended.output.hasSuffix("the replica has 20 devices\n"))
            }
        }

        @Test("the snippet PublishSubscribe loses no message", .timeLimit(.minutes(1)))
        func publishSubscribe() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.run("PublishSubscribe", [])
                #expect(ended.status == 0)
                #expect(ended.output.contains("temperature/oslo: 10 °C"))
                #expect(ended.output.contains("10 of 10 readings received"))
            }
        }

        @Test("the snippet RequestReply gets its replies in order", .timeLimit(.minutes(1)))
        func requestReply() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.run("RequestReply", [])
                #expect(ended.status == 0)
                #expect(ended.output == "one → ONE\ntwo → TWO\nthree → THREE\n")
            }
        }

        @Test(
            "the snippet AwaitMessages receives messages at the pace of their reader", .timeLimit(.minutes(1))
        )
        func awaitMessages() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.run("AwaitMessages", [])
                #expect(ended.status == 0)
                #expect(ended.output == "1 to 100 is 5050\ncancelled\nhello\n")
            }
        }

        @Test("the snippet ToggleDevice toggles a device of a running fleet", .timeLimit(.minutes(1)))
        func toggleDevice() async throws {
            try await Lab.withFleet { lab in
                let ended = try await lab.run("ToggleDevice", [])
                #expect(ended.status == 0, "\(ended.talk)")
                let lines = ended.output.split(separator: "\n")
                #expect(lines.first?.contains(": applied(") == true)
                #expect(lines.dropFirst().count { $0.hasPrefix("update ") } == 3)
                let devices = try await lab.devices()
                #expect(devices.count { $0.version == 2 } == 1)
            }
        }
    }
}
