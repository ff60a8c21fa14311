import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The page without a browser", .timeLimit(.minutes(2)))
    struct PageModelTests {
        @Test("the page's model and view model pass their tests without a browser")
        func values() async throws {
            try await Lab.withLab { lab in
                let folder = Lab.path("../Page")
                let files = try FileManager.default.contentsOfDirectory(atPath: folder)
                    .filter { $0.hasSuffix(".test.mjs") }.sorted().map { "\(folder)/\($0)" }
                try #require(files.count >= 6)
                let ended = try await lab.run("/usr/bin/env", ["node", "--test"] + files)
                #expect(ended.status == 0, "\(ended.output.suffix(4_000))\(ended.talk)")
                #expect(ended.output.contains("fail 0"))
            }
        }
    }

    @Suite("The page", .timeLimit(.minutes(10)))
    struct PageTests {
        /// Ubuntu has no package with Chromium.
        private static let hasBrowser = ["/usr/bin/chromium", "/usr/bin/chromedriver"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        private static let noBrowser: Comment = "there is no chromium with its chromedriver"

        /// The number of double and triple clicks at each latency: the environment's `SENSIBUS_CLICKS`.
        private static let bursts =
            ProcessInfo.processInfo.environment["SENSIBUS_CLICKS"].flatMap { Int($0) } ?? 16

        @Test(
            "the page handles a misbehaving gateway and hostile site texts",
            .enabled(if: hasBrowser, noBrowser),
            arguments: ["hostile", "live", "sites", "queues", "roster", "layout", "offline"])
        func hostile(file: String) async throws {
            try await Lab.withLab { try await $0.python("../Page/browser/\(file)_test.py") }
        }

        @Test(
            "the page logs in, toggles, shows others' changes, survives its gateway and logs out by keyboard",
            .enabled(if: hasBrowser, noBrowser))
        func journey() async throws {
            let scenario = """
                population:
                  - count: 1
                    rooms: ['<img src=x onerror=alert(1)>']
                  - count: 1
                    rooms: ['غرفة <b>7</b>']
                  - count: 1
                    rooms: ['Café ☕ 🔥']
                  - count: 1
                    rooms: ['"><script>alert(1)</script>']
                  - share: 1
                """
            try await Lab.withFleet(devices: 60, gateway: true, scenario: scenario) { lab in
                let ended = try await lab.python(
                    "../Page/browser/journey_test.py", try lab.gatewayURL(), lab.runDirectory,
                    lab.executable("fleet"))
                #expect(ended.output.split(separator: "\n").count == 11, "\(ended.output)")
            }
        }

        @Test(
            "switches show their devices' states after double and triple clicks",
            .enabled(if: hasBrowser, noBrowser))
        func clicks() async throws {
            try await Lab.withFleet(devices: 20, gateway: true) { lab in
                let ended = try await lab.python(
                    "../Page/browser/clicks_test.py", try lab.gatewayURL(), lab.runDirectory,
                    lab.executable("fleet"), lab.executable("observer"), "\(Self.bursts)")
                let lines = ended.output.split(separator: "\n")
                #expect(lines.count == 2, "\(ended.output)")
                for line in lines { print("measured: \(line)") }
            }
        }

        @Test(
            "a user can sign up and reset a forgotten password on the page by keyboard",
            .enabled(if: hasBrowser, noBrowser))
        func login() async throws {
            try await Lab.withFleet(
                devices: 10, gateway: true, ["--allow-signup", "--outbox", "outbox"]
            ) { lab in
                let ended = try await lab.python(
                    "../Page/browser/login_test.py", try lab.gatewayURL(), "\(lab.directory)/outbox")
                #expect(ended.output.split(separator: "\n").count == 7, "\(ended.output)")
                // No log contains a secret.
                let logs = try lab.logs()
                for secret in ended.talk.split(separator: "\n") { #expect(!logs.contains(secret)) }
            }
        }
    }
}
