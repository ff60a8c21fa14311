import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The screen of a replay", .timeLimit(.minutes(2)))
    struct ReplayScreenTests {
        /// Records a toggle of a device that is more than twelve seconds after the beginning.
        private static func record(_ lab: Lab, _ file: String, toggling name: String) async throws {
            let ended = try await lab.run("observer", ["record", file]) { processID in
                defer { kill(processID, SIGTERM) }
                try await lab.awaitRecorded("resync", of: nil, in: file)
                await Pace.wait(.seconds(12))
                try await lab.succeed("toggle", name)
                try await lab.awaitRecorded("outcome", of: name, in: file)
            }
            #expect(ended.status == 0, "\(ended.talk)")
        }

        @Test("a replay pauses, continues and seeks, and the table shows the state at that time")
        func keys() async throws {
            try await Lab.withFleet { lab in
                let name = "Kitchen 1"
                let wasOn = try await lab.device(name).on
                let file = "\(lab.directory)/day.rec"
                try await Self.record(lab, file, toggling: name)
                func isOn(_ isOn: Bool, _ lines: [String]) -> Bool {
                    lines.contains { $0.hasPrefix("\(name) ") && $0.contains(isOn ? " on " : " off ") }
                }
                try await TerminalLab.with(lab, columns: 100) { terminal in
                    // So fast that a replay that is not paused ends at once.
                    try await terminal.startObserver("replay \(file) --speed 100")
                    try await terminal.shows("the state at the end") {
                        $0[23].contains("end of the recording") && isOn(!wasOn, $0)
                    }
                    try await terminal.press("Space", "Home", shows: "the beginning") {
                        $0[23].contains("paused") && $0[23].contains("  0:00:00 of 0:00:")
                    }
                    try await terminal.press("Right", shows: "the state ten seconds later") {
                        $0[23].contains("paused") && $0[23].contains("  0:00:10 of 0:00:")
                            && isOn(wasOn, $0)
                    }
                    try await terminal.press("s", shows: "the same state in another order while paused") {
                        $0[0].contains("  by name  ") && $0[23].contains("  0:00:10 of 0:00:")
                            && isOn(wasOn, $0)
                    }
                    try await terminal.press("End", shows: "the end") {
                        $0[23].contains("end of the recording") && isOn(!wasOn, $0)
                    }
                    try await terminal.press("Left", shows: "that it is paused before the end") {
                        $0[23].contains("paused")
                    }
                    try await terminal.press("Space", shows: "that it continues to its end") {
                        $0[23].contains("end of the recording") && isOn(!wasOn, $0)
                    }
                    // Two keys in one read are two.
                    try await terminal.press("Space", "Home", shows: "the beginning") {
                        $0[23].contains("  0:00:00 of 0:00:")
                    }
                    try await terminal.press(
                        "Right", "Right", shows: "the state twenty seconds later, or at the end"
                    ) {
                        $0[23].contains("end of the recording") || $0[23].contains("  0:00:20 of 0:00:")
                    }
                    try await terminal.press("Left", shows: "that it is paused") { $0[23].contains("paused") }
                    // A space in pasted text does not pause.
                    try await terminal.type("/\(name)")
                    try await terminal.shows("the typed text") {
                        $0[0].contains("/\(name)▏") && $0[2].hasPrefix("\(name) ")
                            && $0[23].contains("paused")
                    }
                    try await terminal.press(
                        "Home", "Escape", shows: "the same time, as Home was part of the text"
                    ) {
                        $0[0].contains("  by name  ") && $0[23].contains("paused")
                            && !$0[23].contains("  0:00:00 of")
                    }
                    try await terminal.type("s ss")
                    try await terminal.shows("that a space among other keys does not pause") {
                        $0[0].contains("  by change  ") && !$0[23].contains("paused")
                    }
                    try await terminal.quit(by: "q")
                }
            }
        }

        @Test("a replay pauses and continues at the requested speed")
        func slow() async throws {
            try await Lab.withFleet { lab in
                let file = "\(lab.directory)/day.rec"
                let ended = try await lab.run("observer", ["record", file]) { processID in
                    defer { kill(processID, SIGTERM) }
                    try await lab.awaitRecorded("resync", of: nil, in: file)
                    await Pace.wait(.seconds(1))
                }
                #expect(ended.status == 0, "\(ended.talk)")
                try await TerminalLab.with(lab, columns: 100) { terminal in
                    try await terminal.startObserver("replay \(file) --speed 0.01")
                    for state in ["replay ×0.01", "paused", "replay ×0.01"] {
                        try await terminal.shows(state) { $0[23].contains(state) }
                        try await terminal.press("Space")
                    }
                    try await terminal.shows("that it is paused again") { $0[23].contains("paused") }
                    try await terminal.quit(by: "q")
                }
            }
        }
    }
}
