import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The page without a browser")
    struct PageModelTests {
        @Test("the page's model and view model pass their tests without a browser", .timeLimit(.minutes(2)))
        func values() async throws {
            try await Lab.withLab { lab in
                let files = try FileManager.default.contentsOfDirectory(atPath: PageTests.folder)
                    .filter { $0.hasSuffix(".test.mjs") }.sorted().map { "\(PageTests.folder)/\($0)" }
                try #require(files.count >= 6)
                let ended = try await lab.run("/usr/bin/env", ["node", "--test"] + files)
                #expect(ended.status == 0, "\(ended.output.suffix(4_000))\(ended.talk)")
                #expect(ended.output.contains("fail 0"))
            }
        }
    }

    @Suite("The page")
    struct PageTests {
        fileprivate static let folder = (0..<2).reduce(URL(filePath: #filePath)) { path, _ in
            path.deletingLastPathComponent()
        }.appending(path: "Page").path()

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
            .enabled(if: hasBrowser, noBrowser), .timeLimit(.minutes(5)),
            arguments: [
                "hostile_test.py", "live_test.py", "sites_test.py", "queues_test.py", "roster_test.py",
                "layout_test.py", "offline_test.py",
            ])
        func hostile(file: String) async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.run("/usr/bin/python3", [Self.folder + "/browser/" + file])
                #expect(ended.status == 0, "\(ended.talk.suffix(4_000))")
            }
        }

        @Test(
            "the page logs in, toggles, shows others' changes, survives its gateway and logs out by keyboard",
            .enabled(if: hasBrowser, noBrowser), .timeLimit(.minutes(5)))
        func journey() async throws {
            try await Lab.withLab { lab in
                let scenario = "\(lab.directory)/names.yaml"
                try """
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
                """.write(toFile: scenario, atomically: true, encoding: .utf8)
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "60", "--scenario", scenario)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let url = try #require(try up.line(UpLine.self).gateway?.url)
                let script = Self.folder + "/browser/journey_test.py"
                let ended = try await lab.run(
                    "/usr/bin/python3", [script, url, lab.file(""), lab.executable("fleet")])
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.split(separator: "\n").count == 11, "\(ended.output)")
            }
        }

        @Test(
            "switches show their devices' states after double and triple clicks",
            .enabled(if: hasBrowser, noBrowser), .timeLimit(.minutes(10)))
        func clicks() async throws {
            try await Lab.withLab { lab in
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "20", "--gateway-port", "0")
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let url = try #require(try up.line(UpLine.self).gateway?.url)
                let ended = try await lab.run(
                    "/usr/bin/python3",
                    [
                        Self.folder + "/browser/clicks_test.py", url, lab.file(""),
                        lab.executable("fleet"), lab.executable("observer"), "\(Self.bursts)",
                    ])
                #expect(ended.status == 0, "\(ended.output)\(ended.talk.suffix(4_000))")
                let lines = ended.output.split(separator: "\n")
                #expect(lines.count == 2, "\(ended.output)")
                for line in lines { print("measured: \(line)") }
            }
        }

        @Test(
            "a user can sign up and reset a forgotten password on the page by keyboard",
            .enabled(if: hasBrowser, noBrowser), .timeLimit(.minutes(5)))
        func login() async throws {
            try await Lab.withLab { lab in
                let outbox = "\(lab.directory)/outbox"
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "10", "--gateway-port", "0", "--allow-signup",
                    "--outbox", outbox)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let url = try #require(try up.line(UpLine.self).gateway?.url)
                let script = Self.folder + "/browser/login_test.py"
                let ended = try await lab.run("/usr/bin/python3", [script, url, outbox])
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.split(separator: "\n").count == 7, "\(ended.output)")
                // No log contains a secret.
                let logs = try lab.logs()
                for secret in ended.talk.split(separator: "\n") { #expect(!logs.contains(secret)) }
            }
        }

        /// The keys of `fleet up --json` that are read here.
        private struct UpLine: Decodable {
            struct Gateway: Decodable {
                let url: String
            }

            let gateway: Gateway?
        }
    }
}
