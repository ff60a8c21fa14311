import Foundation
import Testing

extension EndToEnd {
    @Suite("The seed of a run directory")
    struct SeedTests {
        @Test(
            "another seed is refused in a run directory with device memory, and timers are unchanged",
            .timeLimit(.minutes(2)))
        func otherSeed() async throws {
            try await Lab.withFleet(devices: 4, ["--seed", "7"]) { lab in
                #expect(try await lab.fleet("timer", "Bedroom 1", "--in", "2h", "--off").status == 0)
                #expect(try await lab.fleet("down").status == 0)
                let refused = try await lab.fleet("up", "--detach", "--no-gateway", "--devices", "4")
                #expect(refused.status == 64)
                for text in ["--seed 7", "--run-dir", "remove \(lab.directory)/.sensibus"] {
                    #expect(refused.talk.contains(text), "\(refused.talk)")
                }
                let again = try await lab.fleet(
                    "up", "--detach", "--no-gateway", "--devices", "4", "--seed", "7")
                try #require(again.status == 0, "\(again.talk)")
                #expect(try await lab.fleet("timer", "Bedroom 1", "--json").output.contains("\"timer\":{"))
            }
        }
    }
}
