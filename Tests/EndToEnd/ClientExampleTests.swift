import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The tests in `Examples` that use a test server from other languages, where the language is at hand.
    @Suite("Examples of tests in other languages", .timeLimit(.minutes(3)))
    struct ClientExampleTests {
        private static let examples = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Examples").path(percentEncoded: false)
        private static let jars = [
            "junit-jupiter-api", "junit-jupiter-engine", "junit-platform-commons", "junit-platform-console",
            "junit-platform-engine", "junit-platform-launcher", "junit-platform-reporting", "opentest4j",
            "opentest4j-reporting-events", "apiguardian-api", "picocli",
        ].map { "/usr/share/java/\($0).jar" }

        private static func has(_ program: String) -> Bool {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
        }

        private static func run(_ script: String, _ words: String...) async throws {
            try await Lab.withLab { lab in
                let start = "export SENSIBUS=\"$1\"; work=$2; shift 2; "
                let ended = try await lab.run(
                    "/bin/sh",
                    ["-euc", start + script, "sh", lab.executable("fleet"), lab.directory] + words)
                #expect(ended.status == 0, "\(ended)")
            }
        }

        @Test("Node's test runner", .enabled(if: has("node")))
        func node() async throws {
            try await Self.run("node --test \"$1\"", "\(Self.examples)/node")
        }

        @Test("Go's test tool", .enabled(if: has("go")))
        func go() async throws {
            try await Self.run(
                "export GOCACHE=\"$work/cache\" GOTELEMETRY=off GOPROXY=off; cd \"$1\"; go test ./...",
                "\(Self.examples)/go")
        }

        @Test("JUnit", .enabled(if: has("javac") && jars.allSatisfy(FileManager.default.fileExists(atPath:))))
        func junit() async throws {
            let script = """
                javac -cp "$1" -d "$work/classes" "$2"
                java -cp "$1:$work/classes" org.junit.platform.console.ConsoleLauncher \
                  --scan-classpath "$work/classes" --disable-banner
                """
            try await Self.run(
                script, Self.jars.joined(separator: ":"), "\(Self.examples)/java/ClientTest.java")
        }
    }
}
