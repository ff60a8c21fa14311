import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A full disk", .timeLimit(.minutes(1)))
    struct FullDiskTests {
        private static func mount(on path: String, kilobytes: Int) -> Bool {
            Glibc.mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k,mode=700") == 0
        }

        /// Starts a fleet with its own small disk for a directory.
        private static func withSmallDisk(
            at directory: String, kilobytes: Int, _ body: (Lab, String) async throws -> Void
        ) async throws {
            try await Lab.withLab { lab in
                let disk = lab.file(directory)
                try #require(mkdir(lab.runDirectory, 0o700) == 0 && mkdir(disk, 0o700) == 0, "errno \(errno)")
                try #require(mount(on: disk, kilobytes: kilobytes), "errno \(errno)")
                defer { umount2(disk, Int32(MNT_DETACH)) }
                try await lab.up(devices: 20)
                try await body(lab, disk)
                _ = try await lab.fleet("down")
            }
        }

        private static func fill(_ file: String) throws {
            let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            try #require(descriptor >= 0, "errno \(errno)")
            defer { close(descriptor) }
            let block = [UInt8](repeating: 1, count: 4_096)
            var written = 1
            while written > 0 { written = write(descriptor, block, block.count) }
            try #require(errno == ENOSPC, "errno \(errno)")
        }

        @Test(
            "commands, log and doctor name a full disk of the journal, and commands work once there is room",
            .enabled(if: SmallDisk.isAllowed))
        func journal() async throws {
            try await Self.withSmallDisk(at: "journal", kilobytes: 8_192) { lab, disk in
                let filler = "\(disk)/filler"
                try Self.fill(filler)
                try await lab.eventually("a toggle meets the full disk", within: .seconds(20)) {
                    let toggle = try await lab.fleet("toggle", "Bedroom 1", "--timeout", "500ms")
                    guard toggle.talk.contains("the controller's disk is full") else { return false }
                    #expect(toggle.status == 75)
                    return true
                }
                let line = try await lab.fleet("toggle", "Bedroom 1", "--timeout", "500ms", "--json")
                #expect(try line.line(ToggleLine.self).outcome == "busy")
                #expect(try lab.logs().contains("journal write failed: no space left on device"))
                let doctor = try await lab.expect(1, "doctor")
                #expect(doctor.output.contains("disk: the disk of \(disk) is full"), "\(doctor.output)")
                #expect(unlink(filler) == 0)
                try await lab.eventually("a toggle is applied again", within: .seconds(10)) {
                    try await lab.fleet("toggle", "Bedroom 1").status == 0
                }
            }
        }

        @Test(
            "devices execute and publish nothing while their disk is full, and continue once there is room",
            .enabled(if: SmallDisk.isAllowed))
        func pauses() async throws {
            try await Self.withSmallDisk(at: "memory", kilobytes: 256) { lab, disk in
                let filler = "\(disk)/filler"
                try Self.fill(filler)
                let log = "logs/node-1.log"
                // The file's last page still has room for a while.
                try await lab.eventually("the disk is full", within: .seconds(20)) {
                    _ = try await lab.fleet("inject", "flip", "all")
                    return try lab.text(log).contains("the disk is full")
                }
                let stuck = try await lab.fleet("toggle", "Bedroom 1", "--timeout", "2s", "--json")
                #expect(["unknown", "offline"].contains(try stuck.line(ToggleLine.self).outcome))
                try await lab.eventually("the node is lost", within: .seconds(5)) {
                    try await lab.device("Bedroom 1").reason == "nodeLost"
                }
                let before = try await lab.device("Bedroom 2")
                #expect(unlink(filler) == 0)
                try await lab.awaitOnline(20, within: .seconds(5))
                let after = try await lab.device("Bedroom 2")
                #expect(after.incarnation == before.incarnation)
                #expect(after.version > before.version)
                try await lab.succeed("toggle", "Bedroom 2")
                let lines = try lab.text(log).split(separator: "\n")
                #expect(lines.filter { $0.contains("the disk is full") }.count == 1)
                #expect(lines.filter { $0.contains("the disk has space again") }.count == 1)
            }
        }
    }
}
