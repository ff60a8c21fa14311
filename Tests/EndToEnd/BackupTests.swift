import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Backup and restore of a fleet")
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

        @Test(
            "a backup taken under toggles, restored elsewhere, has all earlier outcomes and repeats none",
            .timeLimit(.minutes(3)))
        func underToggles() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                let names = try await lab.devices().prefix(10).map(\.name)
                let isOver = Mutex(false)
                let (counts, reporting) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
                async let toggles = Self.toggle(
                    lab, names, while: { !isOver.withLock { $0 } }, reporting: reporting)
                var ended = counts.makeAsyncIterator()
                let before = try #require(await ended.next())
                let backup = try await lab.fleet("backup", "monday")
                #expect(backup.status == 0, "\(backup.talk)")
                // The newest round that ended before the backup, one that may have begun earlier, and a later
                // one.
                for _ in 0..<3 { _ = await ended.next() }
                isOver.withLock { $0 = true }
                let lines = try await toggles
                #expect(before > 0 && lines.count > before + 10)
                #expect(lines.allSatisfy { $0.outcome == "applied" })
                try #require(try await lab.fleet("down").status == 0)
                let restore = try await lab.fleet("restore", "monday", "--replace")
                #expect(restore.status == 0, "\(restore.talk)")
                let up = try await lab.fleet("up", "--detach", "--devices", "20", "--no-gateway")
                try #require(up.status == 0, "\(up.talk)")
                #expect(try !lab.logs().contains("begin new incarnations"))
                try await Self.expectTruth(lab, lines, before: before)
            }
        }

        /// Queries every toggle, and repeats the latest ones.
        private static func expectTruth(
            _ lab: Lab, _ lines: [ToggleLine], before: Int
        ) async throws {
            let versions = try await versions(lab)
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
                let name = try #require(try await lab.devices().first { $0.id == line.device }?.name)
                let again = try await lab.fleet("toggle", name, "--request-id", line.requestID)
                #expect(again.status == 64, "\(again.output)\(again.talk)")
            }
            #expect(try await Self.versions(lab) == versions, "no command was executed again")
            let device = try #require(try await lab.devices().first)
            #expect(try await lab.fleet("toggle", device.name).status == 0)
        }

        private static func versions(_ lab: Lab) async throws -> [Int] {
            try await lab.devices().map(\.version)
        }

        @Test(
            "a backup of a killed fleet can be restored, and one without a fleet is refused",
            .timeLimit(.minutes(1)))
        func stopped() async throws {
            try await Lab.withLab { lab in
                #expect(try await lab.fleet("backup", "nothing").status == 69)
                let up = try await lab.fleet("up", "--detach", "--devices", "5", "--no-gateway")
                try #require(up.status == 0, "\(up.talk)")
                let device = try #require(try await lab.devices().first)
                let line = try await lab.fleet("toggle", device.name, "--json").line(ToggleLine.self)
                for process in try await lab.status().processes {
                    if let pid = process.pid { kill(pid, SIGKILL) }
                }
                try #require(try await lab.fleet("down").status == 0)
                try await Self.expectRefusal(lab, of: "memory/node-1.entries")
                #expect(try await lab.fleet("backup", "monday").status == 0)
                #expect(try await lab.fleet("backup", "monday").status == 1, "the target is not empty")
                #expect(
                    try await lab.fleet("restore", "monday", "--run-dir", "\(lab.directory)/other").status
                        == 0)
                let again = ["--run-dir", "\(lab.directory)/other"]
                let other = try await lab.fleet(["up", "--detach", "--devices", "5", "--no-gateway"] + again)
                try #require(other.status == 0, "\(other.talk)")
                let reported = try await lab.fleet(["outcome", line.requestID, "--json"] + again)
                #expect(try reported.line(ToggleLine.self).version == line.version)
                #expect(try await lab.fleet(["down"] + again).status == 0)
            }
        }

        /// Truncates a file, and restores it after the backup was refused.
        private static func expectRefusal(_ lab: Lab, of name: String) async throws {
            let file = URL(filePath: lab.file(name))
            let bytes = try Data(contentsOf: file)
            try bytes.dropLast(10).write(to: file)
            let backup = try await lab.fleet("backup", "damaged")
            #expect(backup.status == 1)
            #expect(backup.talk.contains("\(name) is damaged"), "\(backup.talk)")
            try bytes.write(to: file)
        }

        @Test(
            "backup and restore sync their files before they report success",
            .enabled(if: Tracing.isAllowed, "\(Tracing.notAllowed)"), .timeLimit(.minutes(1)))
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
            let text = try String(contentsOfFile: "\(lab.directory)/syncs", encoding: .utf8)
            return Syncs(lines: text.split(separator: "\n"))
        }
    }
}
