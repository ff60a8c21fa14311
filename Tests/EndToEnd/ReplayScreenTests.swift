import Circumstances
import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The screen of a replay")
    struct ReplayScreenTests {
        /// A terminal of its own, in which one program runs.
        private struct Screen {
            let lab: Lab

            private func tmux(_ arguments: String...) async throws -> String {
                try await lab.run("/usr/bin/tmux", ["-S", "\(lab.directory)/screen"] + arguments).output
            }

            func begin(_ command: String) async throws {
                _ = try await tmux(
                    "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "24",
                    "env TERM=screen \(command)")
            }

            func press(_ key: String) async throws {
                _ = try await tmux("send-keys", key)
            }

            func end() async throws {
                _ = try await tmux("kill-server")
            }

            /// Waits until the last line has some words.
            func shows(_ words: String) async throws {
                var last = ""
                let took = try await Pace.look(for: .seconds(10).slowed) {
                    let lines = try await tmux("capture-pane", "-p").split(separator: "\n")
                    last = lines.last.map(String.init) ?? ""
                    return last.contains(words)
                }
                #expect(took != nil, "“\(last)” without “\(words)”")
            }
        }

        @Test("pauses, goes on, and goes to and fro, as its keys say", .timeLimit(.minutes(1)))
        func keys() async throws {
            try await Lab.withFleet { lab in
                let file = "\(lab.directory)/day.rec"
                let ended = try await lab.run("observer", ["record", file]) { processID in
                    await Pace.wait(.seconds(2))
                    kill(processID, SIGTERM)
                }
                #expect(ended.status == 0, "\(ended.talk)")
                let screen = Screen(lab: lab)
                try await screen.begin("\(Lab.products)/observer replay \(file) --speed 0.5")
                try await screen.shows("replay ×0.5")
                try await screen.press("Space")
                try await screen.shows("paused")
                try await screen.press("End")
                try await screen.shows("end of the recording")
                try await screen.press("Home")
                try await screen.shows("paused")
                try await screen.shows("0:00:00 of 0:00:0")
                try await screen.press("Right")
                try await screen.shows("end of the recording")
                try await screen.press("Left")
                try await screen.shows("paused")
                try await screen.press("Space")
                try await screen.shows("replay ×0.5")
                try await screen.press("q")
                let gone = try await Pace.look(for: .seconds(5).slowed) {
                    try await lab.run("/usr/bin/tmux", ["-S", "\(lab.directory)/screen", "list-sessions"])
                        .status != 0
                }
                #expect(gone != nil, "it does not end with q")
                try await screen.end()
            }
        }
    }
}
