import Testing

extension EndToEnd {
    @Suite("Requests that their connections answer", .timeLimit(.minutes(1)))
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

        @Test("a change is answered as by the router, in its order, and only to its host")
        func directChanges() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let key = try await lab.apiKey("writer")
                _ = try await lab.python("Clients/direct_changes.py", try lab.gatewayURL(), key, device.id)
            }
        }

        @Test("a change meets a cloud fault at once, and waits for a pod that is offline")
        func disturbedChanges() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let key = try await lab.apiKey("writer")
                let path = "api/v2/pods/\(device.id)/acStates/on?apiKey=\(key)"
                func switched(_ on: Bool) async throws -> Int {
                    try await lab.curl(path, ["-X", "PATCH", "-d", #"{"newValue":\#(on)}"#]).status
                }
                // The router answers the first one, because it does not know the key yet.
                for _ in 0..<2 { #expect(try await switched(true) == 200) }
                let logged = /change requested caller=.*acStates.on status=200/
                #expect(try lab.logs().matches(of: logged).count == 2)
                let counted = #/_requests_total\{method="PATCH",route=".*\{property\}",status="200"\} 2\n/#
                #expect(try await lab.curl("metrics?apiKey=\(key)").body.contains(counted))
                try await lab.succeed("inject", "cloud-error", "--status", "502", "--for", "1m")
                #expect(try await switched(false) == 502)
                try await lab.succeed("heal")
                #expect(try await lab.device("Bedroom 1").on)
                try await lab.succeed("inject", "offline", "Bedroom 1", "--for", "1s")
                #expect(try await switched(false) == 200)
                #expect(try await !lab.device("Bedroom 1").on)
            }
        }
    }
}
