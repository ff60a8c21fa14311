import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A run directory that is renamed, copied, restored or removed", .timeLimit(.minutes(2)))
    struct MovedDirectoryTests {
        enum Change: String, CaseIterable { case rename, copy, restore, remove }
        enum Condition: String, CaseIterable { case stopped, killed, running }

        struct Case: CustomTestStringConvertible, Sendable {
            let change: Change
            let condition: Condition
            let isDeep: Bool

            static let all = Change.allCases.flatMap { change in
                Condition.allCases.flatMap { condition in
                    [false, true].map { Case(change: change, condition: condition, isDeep: $0) }
                }
            }

            var testDescription: String { "\(change) \(condition)\(isDeep ? " deep" : "")" }
            /// Whether the fleet still runs after the change.
            var continues: Bool { condition == .running && [.copy, .restore].contains(change) }
        }

        private static func haveEnded(_ processes: [Int32]) -> Bool {
            processes.allSatisfy { kill($0, 0) != 0 }
        }

        private static func awaitEnd(of processes: [Int32], in lab: Lab) async throws {
            try await lab.eventually("the processes end", within: .seconds(15)) { haveEnded(processes) }
        }

        /// The sum of the versions of both devices, which begin with 1.
        private static func versions(_ fleet: Lab) async throws -> Int {
            let devices = try await fleet.devices()
            #expect(devices.map(\.presence) == ["online", "online"])
            return devices.reduce(0) { $0 + $1.version }
        }

        /// Makes a change, and returns the place of the fleet after it.
        private static func make(
            _ given: Case, of original: Lab, other: Lab, backup: String
        ) async throws -> Lab {
            switch (given.change, given.condition) {
            case (.rename, _): try #require(rename(original.runDirectory, other.runDirectory) == 0)
            case (.copy, _):
                let copy = try await other.run("/bin/cp", ["-a", original.runDirectory, other.runDirectory])
                try #require(copy.status == 0, "\(copy.talk)")
            case (.restore, .running): try await other.succeed("restore", backup)
            case (.restore, _):
                try await original.succeed("restore", backup, "--replace")
                return original
            case (.remove, _):
                try FileManager.default.removeItem(atPath: original.runDirectory)
                return original
            }
            return other
        }

        @Test(
            "a fleet never uses the directory of another one, and ends when its own is gone",
            arguments: Case.all)
        func matrix(given: Case) async throws { try await Self.check(given) }

        static func check(_ given: Case) async throws {
            try await Lab.withLab { lab in
                let home = given.isDeep ? "\(String(repeating: "d", count: 90))/" : ""
                try FileManager.default.createDirectory(
                    atPath: "\(lab.directory)/\(home)", withIntermediateDirectories: true)
                let (original, other) = (lab.at("\(home)run"), lab.at("\(home)other"))
                let backup = "\(lab.directory)/\(home)backup"
                try await original.up(devices: 2)
                let others = try await original.status().processes.compactMap(\.pid)
                let processes = [try original.supervisorID()] + others
                #expect(processes.count == 3)
                defer { for process in processes { kill(process, SIGKILL) } }
                try await original.succeed("toggle", "all")
                try await original.succeed("backup", backup)
                switch given.condition {
                case .stopped: try await original.succeed("down")
                case .killed: for process in processes { kill(process, SIGKILL) }
                case .running: break
                }
                if given.condition != .running { try await awaitEnd(of: processes, in: lab) }
                let target = try await make(given, of: original, other: other, backup: backup)
                if given.continues {
                    #expect(!processes.contains { kill($0, 0) != 0 })
                } else {
                    try await awaitEnd(of: processes, in: lab)
                }
                if given.change == .rename || given.change == .remove {
                    #expect(
                        access(original.runDirectory, F_OK) != 0, "a process has made the directory again")
                }
                if given.change == .rename, given.condition == .running {
                    // The other processes may end before they notice it themselves.
                    #expect(try target.text("logs/supervisor.log").contains("was moved, replaced or removed"))
                }
                // Nothing runs there, and nothing there leads to a fleet elsewhere.
                try await target.expect(69, "toggle", "all")
                #expect(try await target.fleet("down").talk.contains("nothing is running"))
                if given.continues { #expect(try await versions(original) == 4) }
                try await target.up(devices: 2)
                let known = given.change == .remove ? 2 : 4
                #expect(try await versions(target) == known)
                try await target.succeed("toggle", "all")
                #expect(try await versions(target) == known + 2)
                if given.continues {
                    #expect(try await versions(original) == 4)
                    try await original.succeed("toggle", "all")
                    try await original.succeed("down")
                }
                try await target.succeed("down")
            }
        }
    }

    @Suite("Directories that are moved or removed while programs use them", .timeLimit(.minutes(2)))
    struct LostDirectoryTests {
        @Test(
            "a fleet ends when its run directory is gone",
            arguments: [
                MovedDirectoryTests.Case(change: .rename, condition: .running, isDeep: true),
                MovedDirectoryTests.Case(change: .remove, condition: .running, isDeep: false),
            ])
        func runDirectory(given: MovedDirectoryTests.Case) async throws {
            try await MovedDirectoryTests.check(given)
        }

        @Test(
            "without a working directory every program that needs one says so, and creates nothing",
            arguments: [
                ["fleet", "up", "--detach"], ["fleet", "status"], ["device-sim", "run"],
                ["observer", "--plain"], ["gateway", "serve"], ["controller", "serve"],
            ])
        func noWorkingDirectory(words: [String]) async throws {
            try await Lab.withLab { lab in
                let script = "mkdir gone; cd gone; rmdir ../gone; exec \"$@\""
                let program = ["sh", lab.executable(words[0])]
                let ended = try await lab.run("/bin/sh", ["-c", script] + program + words.dropFirst())
                #expect(words[0] == "fleet" ? ended.status == 69 : ended.status != 0)
                #expect(ended.talk.contains("the working directory no longer exists"), "\(ended.talk)")
                #expect(access("/.sensibus", F_OK) != 0)
            }
        }
    }
}
