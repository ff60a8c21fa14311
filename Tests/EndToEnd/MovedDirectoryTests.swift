import Foundation
import Glibc
import Subprocess
import SystemPackage
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A run directory that is renamed, copied, restored or removed")
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

        /// A fleet of two devices in a run directory of any length, and what was made from it.
        private struct Place {
            let lab: Lab
            let original: String
            let other: String
            let backup: String

            init(_ lab: Lab, isDeep: Bool) throws {
                let home = isDeep ? "\(lab.directory)/\(String(repeating: "d", count: 90))" : lab.directory
                try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
                (self.lab, original) = (lab, "\(home)/run")
                (other, backup) = ("\(home)/other", "\(home)/backup")
            }

            func fleet(_ words: String..., at directory: String) async throws -> Lab.Ended {
                try await lab.fleet(words + ["--run-dir", directory])
            }

            func up(_ directory: String) async throws {
                let up = try await fleet("up", "--detach", "--devices", "2", "--no-gateway", at: directory)
                try #require(up.status == 0, "\(up.talk)")
            }

            /// The sum of the versions of both devices, which begin with 1.
            func versions(_ directory: String) async throws -> Int {
                let devices = try await fleet("devices", "--json", at: directory).lines(DeviceLine.self)
                #expect(devices.map(\.presence) == ["online", "online"])
                return devices.reduce(0) { $0 + $1.version }
            }

            func toggle(_ directory: String) async throws -> Int32 {
                try await fleet("toggle", "all", at: directory).status
            }

            /// The process IDs of the supervisor and of all other processes.
            func processes() async throws -> [Int32] {
                let status = try await fleet("status", "--json", at: original).line(StatusLine.self)
                let lock = try String(contentsOfFile: "\(original)/supervisor.lock", encoding: .utf8)
                let supervisor = try #require(Int32(lock.prefix { $0.isNumber }))
                return [supervisor] + status.processes.compactMap(\.pid)
            }

            func make(_ change: Change, while condition: Condition) async throws -> String {
                switch (change, condition) {
                case (.rename, _): try #require(Glibc.rename(original, other) == 0)
                case (.copy, _):
                    let copy = try await Subprocess.run(
                        .path("/bin/cp"), arguments: ["-a", original, other], output: .discarded,
                        error: .discarded)
                    try #require(copy.terminationStatus.isSuccess)
                case (.restore, .running):
                    let restore = try await fleet("restore", backup, at: other)
                    try #require(restore.status == 0, "\(restore.talk)")
                case (.restore, _):
                    let restore = try await fleet("restore", backup, "--replace", at: original)
                    try #require(restore.status == 0, "\(restore.talk)")
                    return original
                case (.remove, _):
                    try FileManager.default.removeItem(atPath: original)
                    return original
                }
                return other
            }
        }

        private static func haveEnded(_ processes: [Int32]) -> Bool {
            processes.allSatisfy { kill($0, 0) != 0 }
        }

        @Test(
            "a fleet never uses the directory of another one, and ends when its own is gone",
            .timeLimit(.minutes(2)), arguments: Case.all)
        func matrix(given: Case) async throws { try await Self.check(given) }

        static func check(_ given: Case) async throws {
            try await Lab.withLab { lab in
                let place = try Place(lab, isDeep: given.isDeep)
                try await place.up(place.original)
                let processes = try await place.processes()
                #expect(processes.count == 3)
                defer { for process in processes { kill(process, SIGKILL) } }
                #expect(try await place.toggle(place.original) == 0)
                #expect(try await place.fleet("backup", place.backup, at: place.original).status == 0)
                switch given.condition {
                case .stopped: try #require(try await place.fleet("down", at: place.original).status == 0)
                case .killed: for process in processes { kill(process, SIGKILL) }
                case .running: break
                }
                if given.condition != .running {
                    try await lab.eventually("the processes end", within: .seconds(15)) {
                        Self.haveEnded(processes)
                    }
                }
                let target = try await place.make(given.change, while: given.condition)
                if given.continues {
                    #expect(!processes.contains { kill($0, 0) != 0 })
                } else {
                    try await lab.eventually("the processes end", within: .seconds(15)) {
                        Self.haveEnded(processes)
                    }
                }
                if given.change == .rename || given.change == .remove {
                    #expect(access(place.original, F_OK) != 0, "a process has made the directory again")
                }
                if given.change == .rename, given.condition == .running {
                    // The other processes may end before they notice it themselves.
                    let log = try String(contentsOfFile: "\(target)/logs/supervisor.log", encoding: .utf8)
                    #expect(log.contains("was moved, replaced or removed"))
                }
                // Nothing runs there, and nothing there leads to a fleet elsewhere.
                #expect(try await place.toggle(target) == 69)
                #expect(try await place.fleet("down", at: target).talk.contains("nothing is running"))
                if given.continues { #expect(try await place.versions(place.original) == 4) }
                try await place.up(target)
                let known = given.change == .remove ? 2 : 4
                #expect(try await place.versions(target) == known)
                #expect(try await place.toggle(target) == 0)
                #expect(try await place.versions(target) == known + 2)
                if given.continues {
                    #expect(try await place.versions(place.original) == 4)
                    #expect(try await place.toggle(place.original) == 0)
                    #expect(try await place.fleet("down", at: place.original).status == 0)
                }
                #expect(try await place.fleet("down", at: target).status == 0)
            }
        }
    }

    @Suite("Directories that are moved or removed while programs use them")
    struct LostDirectoryTests {
        @Test(
            "a fleet ends when its run directory is gone",
            .timeLimit(.minutes(2)),
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
                ["observer", "--plain"],
                ["gateway", "serve"], ["controller", "serve"],
            ])
        func noWorkingDirectory(words: [String]) async throws {
            try await Lab.withLab { lab in
                let script = "mkdir gone; cd gone; rmdir ../gone; exec \"$@\""
                let program = lab.executable(words[0])
                let ended = try await Subprocess.run(
                    .path("/bin/sh"),
                    arguments: Arguments(["-c", script, "sh", program] + words.dropFirst()),
                    environment: .inherit.updating(["SENSIBUS_RUN_DIR": nil]),
                    workingDirectory: FilePath(lab.directory), output: .discarded,
                    error: .string(limit: 1 << 16))
                #expect(ended.terminationStatus != .exited(0))
                if words[0] == "fleet" { #expect(ended.terminationStatus == .exited(69)) }
                #expect(ended.standardError.contains("the working directory no longer exists"))
                #expect(access("/.sensibus", F_OK) != 0)
            }
        }
    }
}
