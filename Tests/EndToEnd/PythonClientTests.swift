import Testing

extension EndToEnd {
    @Suite("A Python client", .timeLimit(.minutes(1)))
    struct PythonClientTests {
        @Test(
            "a Python client logs in, toggles, and receives its own outcome; with a wrong password, the refusal"
        )
        func watch() async throws {
            try await Lab.withFleet { lab in
                let script = "../../Examples/python/watch.py"
                let before = try await lab.device("Bedroom 1")
                let ended = try await lab.python(
                    script, lab.runDirectory, Lab.demo, lab.file("demo-password"), "Bedroom 1")
                let lines = ended.output.split(separator: "\n")
                #expect(lines.first == "reply OUTCOME_KIND_APPLIED version \(before.version + 1)")
                #expect(lines.last?.hasSuffix(" outcome") == true)
                let after = try await lab.device("Bedroom 1")
                #expect(after.on == !before.on && after.version == before.version + 1)

                let wrong = try lab.write("not it\n", to: "not-the-password")
                let refused = try await lab.run(
                    "/usr/bin/python3", [Lab.path(script), lab.runDirectory, Lab.demo, wrong, "Bedroom 1"])
                #expect(refused.status == 1)
                #expect(refused.talk.contains("REFUSAL_KIND_UNAUTHENTICATED"), "\(refused.talk)")
            }
        }

        @Test("a Python client reads every vector of the contract")
        func vectors() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.python("../../Examples/python/check_vectors.py")
                let count = try #require(ended.output.split(separator: " ").first.flatMap { Int($0) })
                #expect(count >= 100)
            }
        }
    }
}
