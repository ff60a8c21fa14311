import FleetProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The volume of a controller", .timeLimit(.minutes(2)))
    struct VolumeTests {
        /// What the controller needs; the rest of the run directory is that of nodes and users.
        private static func isOfController(_ name: String) -> Bool {
            name.hasPrefix("controller.sqlite") || name == "journal" || name == "witness"
        }

        /// Copies the files of the controller from one directory to another, in place of those there.
        private static func copyVolume(from source: String, to target: String) throws {
            let files = FileManager.default
            try files.createDirectory(atPath: target, withIntermediateDirectories: true)
            for name in try files.contentsOfDirectory(atPath: target) where isOfController(name) {
                try files.removeItem(atPath: "\(target)/\(name)")
            }
            for name in try files.contentsOfDirectory(atPath: source) where isOfController(name) {
                try files.copyItem(atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
            }
        }

        private static func toggleAll(_ lab: Lab) async throws -> [ToggleLine] {
            let lines = try await lab.fleet("toggle", "all", "--json").lines(ToggleLine.self)
            #expect(lines.count == 6 && lines.allSatisfy { $0.outcome == "applied" })
            return lines
        }

        /// Writes an epoch into the header of the newest segment, as a controller does that starts where file
        /// locks have no effect.
        private static func takeJournal(of lab: Lab, for epoch: UInt64) throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: lab.file("journal"))
            let newest = try #require(names.filter { $0.hasSuffix(".journal") }.max())
            let file = try FileHandle(forUpdating: URL(filePath: lab.file("journal/\(newest)")))
            defer { try? file.close() }
            let header = try #require(try file.read(upToCount: 64))
            var writer = RecordWriter()
            for byte in header.prefix(12) { writer.put(byte: byte) }
            writer.put(epoch)
            for byte in header[writer.bytes.count..<60] { writer.put(byte: byte) }
            writer.put(Checksum.of(writer.bytes))
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data(writer.bytes))
        }

        @Test("a controller that was stopped while another took its journal answers nothing more")
        func replaced() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                _ = try await lab.fleet("toggle", "all")
                let epoch = try #require(try await lab.status().epoch)
                let processID = try await lab.processID("controller")
                kill(processID, SIGSTOP)
                // It waits for longer than the interval of the check.
                try await lab.expect(69, "toggle", "all")
                try Self.takeJournal(of: lab, for: epoch + 1)
                kill(processID, SIGCONT)
                #expect(try #require(try await lab.status().epoch) > epoch, "the next controller answers")
                #expect(try lab.logs().contains("started with epoch \(epoch + 1)"))
                try await lab.succeed("toggle", "all", "--timeout", "20s")
            }
        }

        @Test("with an older copy, no request that devices have carried out runs again")
        func olderCopy() async throws {
            try await Lab.withFleet(devices: 6) { lab in
                let known = try await Self.toggleAll(lab)
                try await lab.succeed("down")
                let copy = "\(lab.directory)/copy"
                try Self.copyVolume(from: lab.runDirectory, to: copy)
                try await lab.up(devices: 6)
                let lost = try await Self.toggleAll(lab)
                try await lab.succeed("down")
                try Self.copyVolume(from: copy, to: lab.runDirectory)
                try await lab.up(devices: 6)
                let devices = try await lab.devices()
                for line in lost {
                    let device = try #require(line.device)
                    try await lab.expect(
                        64, "toggle", device, "--request-id", line.requestID,
                        saying: ["older than the oldest"])
                }
                for line in known {
                    let outcome = try await lab.fleet("outcome", line.requestID, "--json")
                    #expect(try outcome.line(ToggleLine.self).version == line.version)
                }
                #expect(
                    try await lab.devices().map(\.version) == devices.map(\.version),
                    "no command was executed again")
                #expect(try lab.logs().contains("a device knows a later request than the journal"))
                _ = try await Self.toggleAll(lab)
            }
        }
    }
}
