import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Recordings of the observer", .timeLimit(.minutes(2)))
    struct RecordingTests {
        @Test(
            "a recording survives a kill, is continued and replayed; what is damaged or no recording is refused"
        )
        func recording() async throws {
            try await Lab.withFleet(devices: 400) { lab in
                let file = "\(lab.directory)/day.rec"
                try await Self.record(lab, file, run: 1, stoppedBy: SIGKILL) {
                    try await lab.succeed("toggle", "Bedroom 1")
                    try await lab.awaitRecorded("outcome", of: "Bedroom 1", in: file)
                }
                let talk = try await Self.record(lab, file, run: 2, stoppedBy: SIGTERM) {
                    try await lab.succeed("inject", "flip", "Office 1")
                    try await lab.awaitRecorded("reported", of: "Office 1", in: file)
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
                #expect(plain.output.contains("Office 1: ") && !plain.output.contains("Bedroom 1"))

                var bytes = try Data(contentsOf: URL(filePath: file))
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: URL(filePath: "\(lab.directory)/damaged.rec"))
                try lab.write("#!/bin/sh\n", to: "script")
                for (arguments, texts) in [
                    (["replay", "damaged.rec", "--plain"], ["damaged.rec", "damaged at byte "]),
                    (["replay", "script"], ["script cannot be played: not a recording"]),
                    (["replay", "none"], ["cannot open"]),
                    (["record", "script"], ["is not a recording: choose another file"]),
                ] {
                    let ended = try await lab.run("observer", arguments)
                    let what = "\(arguments): \(ended.talk)\(ended.output)"
                    #expect(ended.status == 69 && ended.output.isEmpty, "\(what)")
                    #expect(texts.allSatisfy(ended.talk.contains), "\(what)")
                }
                #expect(try lab.read("script") == "#!/bin/sh\n")
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
                try await lab.awaitRecorded("resync", of: nil, in: file, times: run)
                try await body()
            }
            #expect(ended.status == (signal == SIGKILL ? 128 + SIGKILL : 0), "\(ended.talk)")
            return ended.talk
        }
    }
}

extension Lab {
    /// Waits until a running recording has at least that many events of a kind.
    ///
    /// - Parameter name: The device of the events; nil for none.
    func awaitRecorded(_ kind: String, of name: String?, in file: String, times: Int = 1) async throws {
        try await eventually("\(kind) of \(name ?? "all") is recorded", within: .seconds(10)) {
            let reported = try await run("observer", ["replay", file, "--json"]).lines(ObserverLine.self)
            return reported.count { $0.kind == kind && $0.name == name } >= times
        }
    }
}
