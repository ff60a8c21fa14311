import Testing

extension EndToEnd {
    @Suite("Security of the page's requests", .timeLimit(.minutes(4)))
    struct PageSafetyTests {
        @Test("page requests from other origins are refused, and other pages cannot change anything")
        func safety() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let ended = try await lab.python(
                    "Clients/page_safety.py", try lab.gatewayURL(), lab.runDirectory)
                #expect(ended.output.hasSuffix("no log has the password, a token or a proof\n"))
            }
        }

        @Test("page toggles apply to the version that was shown, and their outcomes can be queried")
        func toggles() async throws {
            try await Lab.withFleet(gateway: true, ["--scenario", "quiet"]) { lab in
                try await lab.python(
                    "Clients/page_toggles.py", try lab.gatewayURL(), lab.runDirectory, lab.executable("fleet")
                )
            }
        }

        @Test("a page that does not read its connection is disconnected, and other pages are not affected")
        func neverReads() async throws {
            try await Lab.withFleet(devices: 2_000, gateway: true, scenario: "clock: { speed: 60 }\n") {
                lab in
                try await lab.python("Clients/never_reads.py", try lab.gatewayURL(), lab.runDirectory)
            }
        }
    }
}
