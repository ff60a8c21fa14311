import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Backup and restore of a fleet", .timeLimit(.minutes(3)))
    struct BackupTests {
        /// Toggles devices until `isRunning` is false.
        ///
        /// - Returns: The result of each toggle, in order.
        private static func toggle(
            _ lab: Lab, _ devices: [String], while isRunning: () -> Bool,
            reporting counts: AsyncStream<Int>.Continuation
        ) async throws -> [ToggleLine] {
            defer { counts.finish() }
            var lines: [ToggleLine] = []
            while isRunning() {
                lines += try await lab.fleet(["toggle", "--json"] + devices).lines(ToggleLine.self)
                counts.yield(lines.count)
            }
            return lines
        }

        @Test("a backup taken under toggles, restored elsewhere, has all earlier outcomes and repeats none")
        func underToggles() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                let names = try await lab.devices().prefix(10).map(\.name)
                let isOver = Mutex(false)
                let (counts, reporting) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
                async let toggles = Self.toggle(
                    lab, names, while: { !isOver.withLock { $0 } }, reporting: reporting)
                var ended = counts.makeAsyncIterator()
                let before = try #require(await ended.next())
                try await lab.succeed("backup", "monday")
                // The newest round that ended before the backup, one that may have begun earlier, and a later
                // one.
                for _ in 0..<3 { _ = await ended.next() }
                isOver.withLock { $0 = true }
                let lines = try await toggles
                #expect(before > 0 && lines.count > before + 10)
                #expect(lines.allSatisfy { $0.outcome == "applied" })
                try await lab.succeed("down")
                try await lab.succeed("restore", "monday", "--replace")
                try await lab.up(devices: 20)
                #expect(try !lab.logs().contains("begin new incarnations"))
                try await Self.expectTruth(lab, lines, before: before)
            }
        }

        /// Queries every toggle, and repeats the latest ones.
        private static func expectTruth(_ lab: Lab, _ lines: [ToggleLine], before: Int) async throws {
            let devices = try await lab.devices()
            for (index, line) in lines.enumerated() {
                let reported = try await lab.fleet("outcome", line.requestID, "--json")
                if index < before {
                    let outcome = try reported.line(ToggleLine.self)
                    #expect(outcome.outcome == line.outcome && outcome.version == line.version)
                } else if reported.status == 0 {
                    // It ended during the backup.
                    #expect(try reported.line(ToggleLine.self).version == line.version)
                }
            }
            for line in lines.suffix(5) {
                try await lab.expect(64, "toggle", try #require(line.device), "--request-id", line.requestID)
            }
            let versions = try await lab.devices().map(\.version)
            #expect(versions == devices.map(\.version), "no command was executed again")
            try await lab.succeed("toggle", devices[0].name)
        }

        @Test("a backup of a killed fleet can be restored, and one without a fleet is refused")
        func stopped() async throws {
            try await Lab.withLab { lab in
                try await lab.expect(69, "backup", "nothing")
                try await lab.up(devices: 5)
                let line = try await lab.toggle("Bedroom 1")
                for process in try await lab.status().processes {
                    if let pid = process.pid { kill(pid, SIGKILL) }
                }
                try await lab.succeed("down")
                try await Self.expectRefusal(lab, of: "memory/node-1.entries")
                try await lab.succeed("backup", "monday")
                try await lab.expect(1, "backup", "monday", saying: ["monday is not empty"])
                let other = lab.at("other")
                try await lab.succeed("restore", "monday", "--run-dir", "\(lab.directory)/other")
                try await other.up(devices: 5)
                let reported = try await other.fleet("outcome", line.requestID, "--json")
                #expect(try reported.line(ToggleLine.self).version == line.version)
                try await other.succeed("down")
            }
        }

        /// Truncates a file, and restores it after the backup was refused.
        private static func expectRefusal(_ lab: Lab, of name: String) async throws {
            let file = URL(filePath: lab.file(name))
            let bytes = try Data(contentsOf: file)
            try bytes.dropLast(10).write(to: file)
            try await lab.expect(1, "backup", "damaged", saying: ["\(name) is damaged"])
            try bytes.write(to: file)
        }

        @Test(
            "backup and restore sync their files before they report success",
            .enabled(if: Tracing.isAllowed, "\(Tracing.notAllowed)"))
        func onDisk() async throws {
            try await Lab.withFleet(devices: 2) { lab in
                let backup = try await Self.syncs(lab, of: ["backup", "monday"])
                let segments = try #require(backup.place(of: "monday/journal>"))
                let memory = try #require(backup.place(of: "monday/memory>"))
                let manifest = try #require(backup.place(of: "monday/backup.json"))
                let whole = try #require(backup.place(of: "monday>"))
                let name = try #require(backup.place(of: "\(lab.directory)>"))
                #expect(max(segments, memory) < manifest && manifest < whole && whole < name)
                let restore = try await Self.syncs(
                    lab, of: ["restore", "monday", "--run-dir", "\(lab.directory)/other"])
                let files = try #require(restore.place(of: "other.restoring/memory>"))
                let place = try #require(restore.place(of: "\(lab.directory)>"))
                #expect(files < place)
            }
        }

        /// The calls that wait for the disk, in order, each with its path.
        private struct Syncs {
            let lines: [Substring]

            /// The last call for a path that contains this text.
            func place(of part: String) -> Int? { lines.lastIndex { $0.contains(part) } }
        }

        private static func syncs(_ lab: Lab, of arguments: [String]) async throws -> Syncs {
            let options = ["-f", "-y", "-e", "trace=fsync,fdatasync", "-o", "syncs", lab.executable("fleet")]
            let ended = try await lab.run("/usr/bin/strace", options + arguments)
            try #require(ended.status == 0, "\(ended.talk)")
            return Syncs(lines: try lab.read("syncs").split(separator: "\n"))
        }
    }
}
