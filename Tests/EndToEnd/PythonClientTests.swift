import Foundation
import Testing

extension EndToEnd {
    @Suite("A Python client")
    struct PythonClientTests {
        private static let examples = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
            path.deletingLastPathComponent()
        }.appending(path: "Examples/python")

        /// Runs an example with Debian's Python, which has the required libraries.
        private func run(_ example: String, _ arguments: [String] = [], in lab: Lab) async throws -> Lab.Ended
        {
            try await lab.run(
                "/usr/bin/python3", [Self.examples.appending(path: example).path()] + arguments)
        }

        @Test(
            "a Python client logs in, toggles, and receives its own outcome on the stream",
            .timeLimit(.minutes(1)))
        func watch() async throws {
            try await Lab.withFleet { lab in
                let before = try await lab.device("Bedroom 1")
                let ended = try await run(
                    "watch.py",
                    [lab.file(""), "demo@sensibus.local", lab.file("demo-password"), "Bedroom 1"], in: lab)
                try #require(ended.status == 0, "\(ended.output)\(ended.talk)")
                let lines = ended.output.split(separator: "\n")
                #expect(lines.first == "reply OUTCOME_KIND_APPLIED version \(before.version + 1)")
                #expect(lines.last?.hasSuffix(" outcome") == true)
                let after = try await lab.device("Bedroom 1")
                #expect(after.on == !before.on)
                #expect(after.version == before.version + 1)
            }
        }

        @Test("a Python client with a wrong password gets the refusal", .timeLimit(.minutes(1)))
        func refused() async throws {
            try await Lab.withFleet { lab in
                let wrong = lab.file("not-the-password")
                try "not it\n".write(toFile: wrong, atomically: true, encoding: .utf8)
                let ended = try await run(
                    "watch.py", [lab.file(""), "demo@sensibus.local", wrong, "Bedroom 1"], in: lab)
                #expect(ended.status == 1)
                #expect(ended.talk.contains("REFUSAL_KIND_UNAUTHENTICATED"))
            }
        }

        @Test("a Python client reads every vector of the contract", .timeLimit(.minutes(1)))
        func vectors() async throws {
            try await Lab.withLab { lab in
                let ended = try await run("check_vectors.py", in: lab)
                #expect(ended.status == 0, "\(ended.talk)")
                let count = try #require(ended.output.split(separator: " ").first.flatMap { Int($0) })
                #expect(count >= 100)
            }
        }
    }
}
