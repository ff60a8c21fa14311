import Foundation
import Testing

extension EndToEnd {
    /// The examples of README.md and of every `--help`, run by a new user after `fleet up`.
    @Suite("Examples", .timeLimit(.minutes(10)))
    struct ExampleTests {
        private static let repository = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path(percentEncoded: false)

        @Test("every command of README.md and of every --help works on the default fleet")
        func all() async throws {
            try await Lab.withLab { lab in
                let readme = ReadmeExamples(
                    try String(contentsOfFile: Self.repository + "README.md", encoding: .utf8))
                #expect(readme.unknownBlocks.isEmpty, "blocks that are neither commands nor known output")
                var (groups, texts) = (readme.groups, "")
                for program in HelpExamples.programs {
                    let dump = try await lab.run(program, ["--experimental-dump-help"])
                    let help = try HelpExamples(dump: dump.output)
                    #expect(help.without.isEmpty, "commands without an example")
                    #expect(try await lab.run(program, ["--version"]).output.hasPrefix("\(program) "))
                    groups += help.groups
                    texts += dump.output
                }
                try await lab.succeed("up", "--detach")
                let run = try ExampleRun(lab, repository: Self.repository)
                try await run.prepare(commandQueue: try await Self.commandQueue(of: lab))
                for phase in Treatment.Phase.allCases {
                    for group in groups { try await run.type(group, phase: phase) }
                }
                try await run.finish()
            }
        }

        @Test("README.md shows a whole file of tests")
        func pytest() throws {
            let readme = try String(contentsOfFile: Self.repository + "README.md", encoding: .utf8)
            let file = Self.repository + "Examples/pytest/test_client.py"
            let tests = try String(contentsOfFile: file, encoding: .utf8)
            #expect(readme.contains("```python\n\(tests)```"))
            #expect(tests.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
        }

        /// The file that `fleet queue run --help` shows.
        private static func commandQueue(of lab: Lab) async throws -> String {
            let help = try await lab.fleet("queue", "run", "--help").output
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            let file = lines.drop { !$0.contains("on-failure:") }.prefix { $0.hasPrefix("  ") }
            return file.map { $0.dropFirst(2) }.joined(separator: "\n")
        }
    }
}
