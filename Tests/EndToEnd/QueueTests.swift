import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Command queues", .timeLimit(.minutes(3)))
    struct QueueTests {
        private struct SummaryLine: Decodable {
            let id: String
            let state: String
            let ended: Int
        }

        private func summary(_ lab: Lab) async throws -> SummaryLine? {
            try await lab.fleet("queue", "list", "--json").lines(SummaryLine.self).first
        }

        /// Writes a file with a command for each duration.
        private func write(_ lab: Lab, takes: [String]) throws -> String {
            var lines = ["device: Bedroom 1", "commands:"]
            lines += takes.enumerated().map { "  - {id: step-\($0 + 1), takes: \($1), do: toggle}" }
            return try lab.write(lines.joined(separator: "\n"), to: "queue.yaml")
        }

        @Test("queues continue after their controller was killed, and run and print each command once")
        func killed() async throws {
            try await Lab.withFleet { lab in
                let before = try await lab.device("Bedroom 1").version
                let file = try write(lab, takes: Array(repeating: "1s", count: 6))
                async let running = lab.fleet("queue", file)
                for count in [1, 3] {
                    try await lab.eventually("\(count) commands have ended", within: .seconds(60)) {
                        try await summary(lab)?.ended ?? 0 >= count
                    }
                    try await lab.kill("controller")
                }
                let ended = try await running
                #expect(ended.status == 0, "\(ended.talk)")
                let ids = ended.output.split(separator: "\n").map(String.init)
                #expect(ids == (1...6).map { "step-\($0)" })
                #expect(try await lab.device("Bedroom 1").version == before + 6)
                #expect(try await summary(lab)?.state == "done")
            }
        }

        @Test("queues are paused, resumed and cancelled from another shell")
        func steered() async throws {
            try await Lab.withFleet { lab in
                let before = try await lab.device("Bedroom 1").version
                // Long enough for each to be seen, and for the second not to end before it is cancelled.
                let file = try write(lab, takes: ["8s", "10m", "10m"])
                async let running = lab.fleet("queue", file, "--json")
                try await lab.eventually("the queue runs", within: .seconds(30)) {
                    try await summary(lab) != nil
                }
                let id = try #require(try await summary(lab)?.id)
                try await lab.succeed("queue", "pause", id)
                try await lab.eventually("the first command has ended", within: .seconds(30)) {
                    try await summary(lab)?.ended == 1
                }
                #expect(try await summary(lab)?.state == "paused")
                try await lab.succeed("queue", "resume", id)
                try await lab.succeed("queue", "cancel", id)
                let ended = try await running
                #expect(ended.status == 1, "\(ended.talk)")
                let last = try #require(ended.output.split(separator: "\n").last)
                #expect(last.contains(#""state":"cancelled""#))
                #expect(try await lab.device("Bedroom 1").version == before + 1)
                #expect(try await lab.fleet("queue", "show", id).output.contains("leftOut"))
            }
        }
    }
}
