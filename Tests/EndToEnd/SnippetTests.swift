import Testing

extension EndToEnd {
    /// The programs in the documentation of `Bus` and `FleetClient`.
    @Suite("Snippets of the documentation")
    struct SnippetTests {
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
