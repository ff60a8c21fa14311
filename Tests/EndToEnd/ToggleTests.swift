import FleetProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Toggles from the command line")
    struct ToggleTests {
        @Test(
            "a toggle changes the device once, and its repeat gets the first answer", .timeLimit(.minutes(1)))
        func repeated() async throws {
            try await Lab.withFleet { lab in
                let before = try await lab.device("Bedroom 1")
                let id = "01900000-0000-7000-8000-00000000000a"
                let arguments = ["toggle", "Bedroom 1", "--request-id", id, "--json"]
                let first = try await lab.fleet(arguments)
                let second = try await lab.fleet(arguments)
                #expect([first.status, second.status] == [0, 0])
                #expect(first.output == second.output)
                let line = try first.line(ToggleLine.self)
                #expect(line.outcome == "applied")
                #expect(line.requestID == id)
                #expect(line.state?.on == !before.on)
                #expect(line.version == before.version + 1)
                #expect(line.user == "demo@sensibus.local")
                let after = try await lab.device("Bedroom 1")
                #expect(after.on == !before.on)
                #expect(after.version == before.version + 1)
                let other = try await lab.fleet("toggle", "Bedroom 2", "--request-id", id, "--json")
                #expect(other.status == 64)
                #expect(try other.line(ToggleLine.self).outcome == "idMismatch")
                #expect(try await lab.fleet("outcome", id, "--json").line(ToggleLine.self) == line)
            }
        }

        @Test("an observer shows a toggle with its user and its outcome", .timeLimit(.minutes(1)))
        func observed() async throws {
            try await Lab.withFleet { lab in
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
                    let line = try await lab.fleet("toggle", "Bedroom 1", "--json").line(ToggleLine.self)
                    await observer.sees { $0.requestID == line.requestID }
                    await observer.sees {
                        $0.kind == "outcome" && $0.outcome == "applied" && $0.user == "demo@sensibus.local"
                            && $0.name == "Bedroom 1"
                    }
                    await observer.sees {
                        $0.kind == "reported" && $0.device == line.device && $0.on == line.state?.on
                    }
                    _ = try await lab.fleet("inject", "flip", "Bedroom 2")
                    await observer.sees { $0.kind == "reported" && $0.name == "Bedroom 2" }
                }
            }
        }

        @Test(
            "an impossible toggle is refused with its reason and exit status, and delays none",
            .timeLimit(.minutes(1)))
        func refusals() async throws {
            try await Lab.withFleet { lab in
                let unknown = try await lab.fleet("toggle", "Ballroom 9")
                #expect(unknown.status == 77)
                let ambiguous = try await lab.fleet("toggle", "Bedroom")
                #expect(ambiguous.status == 64)
                _ = try await lab.fleet("inject", "offline", "Bedroom 2", "--for", "1m")
                try await lab.eventually("Bedroom 2 is offline", within: .seconds(10)) {
                    try await lab.device("Bedroom 2").presence == "offline"
                }
                #expect(try await lab.device("Bedroom 2").reason == "disconnected")
                let offline = try await lab.fleet("toggle", "Bedroom 2", "--json")
                #expect(offline.status == 69)
                #expect(try offline.line(ToggleLine.self).outcome == "offline")
                let warm = try await lab.fleet("set", "Bedroom 1", "--temperature", "99", "--json")
                #expect(warm.status == 1)
                #expect(try warm.line(ToggleLine.self).outcome == "rejected")
                let stale = try await lab.fleet("toggle", "Bedroom 1", "--expect-version", "77", "--json")
                #expect(stale.status == 1)
                #expect(try stale.line(ToggleLine.self).outcome == "conflict")
                #expect(try await lab.fleet("outcome", "01900000-0000-7000-8000-0000000000ff").status == 77)
                let latency = try await attempt(until: { $0 < .seconds(1).slowed }) {
                    let good = try await lab.fleet("toggle", "Bedroom 1", "--json").line(ToggleLine.self)
                    #expect(good.outcome == "applied")
                    return Duration.microseconds(try #require(good.latencyUs))
                }
                #expect(latency < .seconds(1).slowed)
            }
        }

        @Test("a toggle of another account's device is not found", .timeLimit(.minutes(1)))
        func foreign() async throws {
            try await Lab.withFleet { lab in
                let foreign = DeviceID(fleetSeed: 1, index: 500).description
                let node = [
                    "run", "--name", "stranger", "--account", "other", "--devices", "1", "--first-index",
                    "500",
                ]
                let ended = try await lab.run("device-sim", node) { processID in
                    try await lab.eventually("the stranger's node is online", within: .seconds(5)) {
                        try await lab.fleet("status").status == 0
                            && String(contentsOfFile: lab.file("logs/controller.log"), encoding: .utf8)
                                .contains("stranger is online")
                    }
                    let toggle = try await lab.fleet("toggle", foreign, "--json")
                    #expect(toggle.status == 77)
                    #expect(try await lab.devices().allSatisfy { $0.id != foreign })
                    #expect(try await lab.status().devices == 20)
                    kill(processID, SIGTERM)
                }
                #expect(ended.status == 0)
            }
        }

        @Test(
            "a toggle for a full lane is busy at once, and a neighbour's is applied",
            .timeLimit(.minutes(1)))
        func fullLane() async throws {
            try await Lab.withFleet { lab in
                _ = try await lab.fleet("inject", "hang", "Bedroom 1", "--for", "1m")
                // The first must still wait when the last comes.
                let timeout = "\(min(4 * Slowdown.factor, 30))s"
                let outcomes = try await withThrowingTaskGroup(of: (String, Int32).self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            let ended = try await lab.fleet(
                                "toggle", "Bedroom 1", "--timeout", timeout, "--json")
                            return (try ended.line(ToggleLine.self).outcome, ended.status)
                        }
                    }
                    group.addTask {
                        let ended = try await lab.fleet("toggle", "Bedroom 2", "--json")
                        return (try ended.line(ToggleLine.self).outcome, ended.status)
                    }
                    return try await group.reduce(into: [(String, Int32)]()) { $0.append($1) }
                }
                let busy = outcomes.filter { $0.0 == "busy" }
                #expect(busy.count >= 4)
                #expect(busy.allSatisfy { $0.1 == 75 })
                #expect(outcomes.filter { $0.0 == "applied" }.count == 1)
                #expect(outcomes.allSatisfy { ["busy", "applied", "expired", "unknown"].contains($0.0) })
            }
        }
    }

    @Suite("Cancels from the command line")
    struct CancelTests {
        private static let id = "01900000-0000-7000-8000-00000000000b"

        /// Whether the controller has the request of ``id``.
        private static func isPending(_ lab: Lab) async throws -> Bool {
            try await lab.fleet("outcome", id).status == 75
        }

        @Test("Ctrl-C cancels a toggle and prints whether it was in time", .timeLimit(.minutes(1)))
        func controlC() async throws {
            try await Lab.withFleet { lab in
                _ = try await lab.fleet("inject", "hang", "Bedroom 1", "--for", "1m")
                let before = try await lab.device("Bedroom 1")
                let toggle = try await lab.run(
                    "fleet", ["toggle", "Bedroom 1", "--timeout", "20s", "--request-id", Self.id]
                ) { processID in
                    try await lab.eventually("the toggle is in flight", within: .seconds(5)) {
                        try await Self.isPending(lab)
                    }
                    kill(processID, SIGINT)
                }
                #expect(toggle.status == 1)
                #expect((toggle.output + toggle.talk).contains("cancelled: nothing was changed"))
                let after = try await lab.device("Bedroom 1")
                #expect(after.version == before.version)
                #expect(after.on == before.on)
            }
        }

        @Test(
            "a cancel from another terminal ends a toggle in the first, and is too late for an ended one",
            .timeLimit(.minutes(1)))
        func otherTerminal() async throws {
            try await Lab.withFleet { lab in
                _ = try await lab.fleet("inject", "hang", "Bedroom 1", "--for", "1m")
                let toggle = try await lab.run(
                    "fleet", ["toggle", "Bedroom 1", "--timeout", "20s", "--request-id", Self.id, "--json"]
                ) { _ in
                    try await lab.eventually("the toggle is in flight", within: .seconds(5)) {
                        try await Self.isPending(lab)
                    }
                    let cancel = try await lab.fleet("cancel", Self.id, "--json")
                    #expect(try cancel.line(CancelLine.self).result == "cancelled")
                }
                #expect(toggle.status == 1)
                #expect(try toggle.line(ToggleLine.self).outcome == "cancelled")
                let done = try await lab.fleet("toggle", "Bedroom 2", "--json").line(ToggleLine.self)
                let late = try await lab.fleet("cancel", done.requestID, "--json")
                #expect(late.status == 1)
                #expect(try late.line(CancelLine.self).result == "tooLate")
                #expect(try late.line(CancelLine.self).outcome == "applied")
            }
        }

        @Test(
            "a cancel of an ID that has not arrived prevents the toggle from running", .timeLimit(.minutes(1))
        )
        func tombstone() async throws {
            try await Lab.withFleet { lab in
                let cancel = try await lab.fleet("cancel", Self.id, "--json")
                #expect(try cancel.line(CancelLine.self).result == "cancelled")
                let late = try await lab.fleet("toggle", "Bedroom 1", "--request-id", Self.id, "--json")
                #expect(late.status == 1)
                #expect(try late.line(ToggleLine.self).outcome == "cancelled")
                #expect(try await lab.device("Bedroom 1").version == 1)
            }
        }
    }
}
