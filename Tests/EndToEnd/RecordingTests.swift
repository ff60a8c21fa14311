import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Recordings of the observer")
    struct RecordingTests {
        @Test(
            "a recording survives a kill, is continued in another file, and replays what was seen",
            .timeLimit(.minutes(2)))
        func killed() async throws {
            try await Lab.withFleet { lab in
                let file = "\(lab.directory)/day.rec"
                try await Self.record(lab, file, run: 1, stoppedBy: SIGKILL) {
                    let toggle = try await lab.fleet("toggle", "Bedroom 1")
                    #expect(toggle.status == 0)
                    try await Self.replays(lab, file, "outcome", of: "Bedroom 1")
                }
                let talk = try await Self.record(lab, file, run: 2, stoppedBy: SIGTERM) {
                    _ = try await lab.fleet("inject", "flip", "Office 1")
                    try await Self.replays(lab, file, "reported", of: "Office 1")
                }
                #expect(talk.contains("recorded") && talk.contains(file))
                #expect(FileManager.default.fileExists(atPath: "\(file).1"))
                let both = try await lab.run("observer", ["replay", file, "--json"])
                #expect(both.status == 0 && both.talk.isEmpty, "\(both.talk)")
                let lines = try both.lines(ObserverLine.self)
                let toggled = lines.firstIndex { $0.kind == "outcome" && $0.name == "Bedroom 1" }
                let flipped = lines.firstIndex { $0.kind == "reported" && $0.name == "Office 1" }
                #expect(try #require(toggled) < #require(flipped))
                let plain = try await lab.run("observer", ["replay", file, "--plain", "--filter", "office"])
                #expect(plain.output.contains("Office 1: "))
                #expect(!plain.output.contains("Bedroom 1"))
            }
        }

        @Test(
            "a recording that is damaged, missing or not a recording is refused with the place",
            .timeLimit(.minutes(1)))
        func refused() async throws {
            try await Lab.withFleet(devices: 400) { lab in
                let file = "\(lab.directory)/day.rec"
                try await Self.record(lab, file, run: 1, stoppedBy: SIGTERM) {
                    _ = try await lab.fleet("toggle", "Bedroom 1")
                    try await Self.replays(lab, file, "outcome", of: "Bedroom 1")
                }
                var bytes = try Data(contentsOf: URL(filePath: file))
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: URL(filePath: "\(lab.directory)/damaged.rec"))
                try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: "\(lab.directory)/script"))
                let damaged = try await lab.run(
                    "observer", ["replay", "\(lab.directory)/damaged.rec", "--plain"])
                #expect(damaged.status == 69 && damaged.output.isEmpty)
                #expect(damaged.talk.contains("damaged.rec") && damaged.talk.contains("damaged at byte "))
                let foreign = try await lab.run("observer", ["replay", "\(lab.directory)/script"])
                #expect(foreign.status == 69)
                #expect(foreign.talk.contains("script cannot be played: not a recording"))
                let missing = try await lab.run("observer", ["replay", "\(lab.directory)/none"])
                #expect(missing.status == 69 && missing.talk.contains("cannot open"))
                let refused = try await lab.run("observer", ["record", "\(lab.directory)/script"])
                #expect(
                    refused.status == 69 && refused.talk.contains("is not a recording: choose another file"))
                #expect(
                    try String(contentsOfFile: "\(lab.directory)/script", encoding: .utf8) == "#!/bin/sh\n")
            }
        }

        /// Records during an action, and ends the recording with a signal.
        ///
        /// - Parameter run: The number of recordings into that file, including this one.
        /// - Returns: Its standard error.
        @discardableResult
        private static func record(
            _ lab: Lab, _ file: String, run: Int, stoppedBy signal: Int32,
            _ body: @escaping @Sendable () async throws -> Void
        ) async throws -> String {
            let before = try? FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
            let ended = try await lab.run("observer", ["record", file]) { processID in
                defer { kill(processID, signal) }
                // Its file differs from that of an earlier recording.
                _ = await Pace.look(for: .seconds(10).slowed) {
                    let now =
                        try? FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
                    return now != nil && now != before
                }
                // Events before it has joined are not recorded.
                try await Self.replays(lab, file, "resync", of: nil, times: run)
                try await body()
            }
            #expect(ended.status == (signal == SIGKILL ? 128 + SIGKILL : 0), "\(ended.talk)")
            return ended.talk
        }

        /// Waits until a running recording has at least that many events of the kind.
        private static func replays(
            _ lab: Lab, _ file: String, _ kind: String, of name: String?, times: Int = 1
        ) async throws {
            try await lab.eventually("\(kind) of \(name ?? "all") is recorded", within: .seconds(10)) {
                let replay = try await lab.run("observer", ["replay", file, "--json"])
                let reported = try replay.lines(ObserverLine.self)
                return reported.filter { $0.kind == kind && $0.name == name }.count >= times
            }
        }
    }
}
