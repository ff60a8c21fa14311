import Foundation
import SystemPackage
import Testing

extension EndToEnd {
    /// The recipes of `docs/how-to/recipes.md`, exactly as they are written, where their program is at hand.
    @Suite("Recipes for clients", .timeLimit(.minutes(4)))
    struct RecipeTests {
        private static func has(_ program: String) -> Bool {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
        }

        /// The shell commands in a section of the document.
        private static func commands(of section: String) throws -> String {
            let document = Lab.path("../../docs/how-to/recipes.md")
            let sections = try String(contentsOfFile: document, encoding: .utf8).split(separator: "\n## ")
            let text = try #require(sections.first { $0.hasPrefix("\(section)\n") }, "no section \(section)")
            return text.split(separator: "```sh\n").dropFirst()
                .map { $0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex) }
                .joined(separator: "\n")
        }

        /// Runs a recipe in a namespace in which `home.sensibo.com` is a fleet. Its output ends with
        /// the number of pods.
        private static func run(_ section: String) async throws {
            try await Lab.withLab { lab in
                let start = """
                    unset SSL_CERT_FILE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS
                    export HOME=$PWD GOTELEMETRY=off PATH=\(Lab.path("../../.build/clients/bin")):$PATH
                    authority=$PWD/.sensibus/authority.pem
                    key=$1

                    """
                let ended = try await lab.run(
                    Lab.path("Clients/unpatched"),
                    [lab.executables.string, "/bin/sh", "-euc", try start + commands(of: section), "sh"])
                #expect(ended.status == 0 && ended.output.hasSuffix("20\n"), "\(ended)")
            }
        }

        @Test("curl", .enabled(if: has("jq"))) func curl() async throws { try await Self.run("curl") }

        @Test("Python with pysensibo, and with requests") func python() async throws {
            try await Self.run("Python")
        }

        @Test("Node.js", .enabled(if: has("node"))) func node() async throws { try await Self.run("Node.js") }

        @Test("Go", .enabled(if: has("go"))) func go() async throws { try await Self.run("Go") }

        @Test("Java", .enabled(if: has("keytool"))) func java() async throws { try await Self.run("Java") }
    }
}
