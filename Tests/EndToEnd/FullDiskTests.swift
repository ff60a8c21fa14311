import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("On a full disk")
    struct FullDiskTests {
        /// Whether a small disk can be mounted here: as root, and in no container that forbids it.
        private static let canMount: Bool = {
            var template = Array("/tmp/sensibus-test-XXXXXX".utf8CString)
            guard let made = mkdtemp(&template) else { return false }
            let path = String(cString: made)
            defer { rmdir(path) }
            return mount(on: path) && umount2(path, Int32(MNT_DETACH)) == 0
        }()

        private static func mount(on path: String) -> Bool {
            Glibc.mount("tmpfs", path, "tmpfs", 0, "size=256k,mode=700") == 0
        }

        /// Makes a fleet whose devices remember on a disk of 256 KiB.
        private static func withSmallDisk(_ body: (Lab, String) async throws -> Void) async throws {
            try await Lab.withLab { lab in
                let disk = lab.file("memory")
                try #require(mkdir(lab.file(""), 0o700) == 0 && mkdir(disk, 0o700) == 0, "errno \(errno)")
                try #require(mount(on: disk), "errno \(errno)")
                defer { umount2(disk, Int32(MNT_DETACH)) }
                let up = try await lab.fleet("up", "--detach", "--no-gateway", "--devices", "20")
                try #require(up.status == 0, "fleet up: \(up.talk)")
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
            "devices judge nothing and say nothing, and go on where they were once there is room",
            .enabled(if: canMount), .timeLimit(.minutes(1)))
        func pauses() async throws {
            try await Self.withSmallDisk { lab, disk in
                let filler = "\(disk)/filler"
                try Self.fill(filler)
                let log = lab.file("logs/node-1.log")
                // The file's last page still has room for a while.
                try await lab.eventually("the disk is full", within: .seconds(20)) {
                    _ = try await lab.fleet("inject", "flip", "all")
                    return try String(contentsOfFile: log, encoding: .utf8).contains("the disk is full")
                }
                let stuck = try await lab.fleet("toggle", "Bedroom 1", "--timeout", "2s", "--json")
                #expect(["unknown", "offline"].contains(try stuck.line(ToggleLine.self).outcome))
                try await lab.eventually("the node is lost", within: .seconds(5)) {
                    try await lab.device("Bedroom 1").reason == "nodeLost"
                }
                let before = try await lab.device("Bedroom 2")
                #expect(unlink(filler) == 0)
                try await lab.eventually("all are online again", within: .seconds(5)) {
                    try await lab.status().online == 20
                }
                let after = try await lab.device("Bedroom 2")
                #expect(after.incarnation == before.incarnation)
                #expect(after.version > before.version)
                #expect(try await lab.fleet("toggle", "Bedroom 2").status == 0)
                let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                #expect(lines.filter { $0.contains("the disk is full") }.count == 1)
                #expect(lines.filter { $0.contains("the disk has room again") }.count == 1)
            }
        }
    }
}
