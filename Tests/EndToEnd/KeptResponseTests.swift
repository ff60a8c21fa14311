import Testing

extension EndToEnd {
    @Suite("Reads that are answered again", .timeLimit(.minutes(1)))
    struct KeptResponseTests {
        @Test("a repeated read shows each change, and answers keep the order of their requests")
        func changes() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let key = try await lab.apiKey("reader")
                _ = try await lab.python("Clients/kept_responses.py", try lab.gatewayURL(), key, device.id)
            }
        }

        @Test("a repeated read ends with its key, and meets a fault, at once")
        func refusals() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let path = "api/v2/pods/\(device.id)?fields=id&apiKey=\(try await lab.apiKey("reader"))"
                func status(again count: Int) async throws -> Set<Int> {
                    var statuses: Set<Int> = []
                    for _ in 0..<count { statuses.insert(try await lab.curl(path).status) }
                    return statuses
                }
                for _ in 0..<3 {
                    #expect(try await status(again: 5) == [200])
                    try await lab.succeed("inject", "cloud-error", "--status", "502", "--for", "1m")
                    #expect(try await status(again: 2) == [502])
                    try await lab.succeed("heal")
                    #expect(try await status(again: 2) == [200])
                }
                try await lab.succeed("apikey", "revoke", "reader")
                #expect(try await status(again: 3) == [403])
            }
        }
    }
}
