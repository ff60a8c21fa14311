import FleetProtocol
import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Toggles from the command line", .timeLimit(.minutes(1)))
    struct ToggleTests {
        @Test(
            "a toggle changes the device once, its repeat gets the first answer, and an observer shows both")
        func repeated() async throws {
            try await Lab.withFleet { lab in
                try await TestObserver.with(lab) { observer in
                    let before = try await lab.device("Bedroom 1")
                    let id = "01900000-0000-7000-8000-00000000000a"
                    let arguments = ["toggle", "Bedroom 1", "--request-id", id, "--json"]
                    let first = try await lab.succeed(arguments)
                    #expect(try await lab.succeed(arguments).output == first.output)
                    let line = try first.line(ToggleLine.self)
                    #expect(line.outcome == "applied" && line.requestID == id && line.user == Lab.demo)
                    #expect(line.state?.on == !before.on && line.version == before.version + 1)
                    let after = try await lab.device("Bedroom 1")
                    #expect(after.on == !before.on && after.version == before.version + 1)
                    let other = try await lab.expect(64, "toggle", "Bedroom 2", "--request-id", id, "--json")
                    #expect(try other.line(ToggleLine.self).outcome == "idMismatch")
                    #expect(try await lab.fleet("outcome", id, "--json").line(ToggleLine.self) == line)

                    await observer.sees { $0.requestID == id }
                    await observer.sees {
                        $0.kind == "outcome" && $0.outcome == "applied" && $0.user == Lab.demo
                            && $0.name == "Bedroom 1"
                    }
                    await observer.sees {
                        $0.kind == "reported" && $0.device == line.device && $0.on == line.state?.on
                    }
                    try await lab.succeed("inject", "flip", "Bedroom 2")
                    await observer.sees { $0.kind == "reported" && $0.name == "Bedroom 2" }
                }
            }
        }

        @Test("an impossible toggle is refused with its reason and exit status, and delays none")
        func refusals() async throws {
            try await Lab.withFleet { lab in
                func expect(_ status: Int32, _ outcome: String, _ arguments: String...) async throws {
                    let ended = try await lab.expect(status, arguments + ["--json"])
                    #expect(try ended.line(ToggleLine.self).outcome == outcome)
                }
                try await lab.expect(77, "toggle", "Ballroom 9")
                try await lab.expect(64, "toggle", "Bedroom")
                try await lab.succeed("inject", "offline", "Bedroom 2", "--for", "1m")
                try await lab.eventually("Bedroom 2 is offline", within: .seconds(10)) {
                    try await lab.device("Bedroom 2").presence == "offline"
                }
                #expect(try await lab.device("Bedroom 2").reason == "disconnected")
                try await expect(69, "offline", "toggle", "Bedroom 2")
                try await expect(1, "rejected", "set", "Bedroom 1", "--temperature", "99")
                try await expect(1, "conflict", "toggle", "Bedroom 1", "--expect-version", "77")
                try await lab.expect(77, "outcome", "01900000-0000-7000-8000-0000000000ff")
                let latency = try await attempt(until: { $0 < .seconds(1).slowed }) {
                    let good = try await lab.toggle("Bedroom 1")
                    #expect(good.outcome == "applied")
                    return Duration.microseconds(try #require(good.latencyUs))
                }
                #expect(latency < .seconds(1).slowed)

                // A device of another account is not found.
                let foreign = DeviceID(fleetSeed: 1, index: 500).description
                let node = ["run", "--name", "stranger", "--account", "other", "--devices", "1"]
                let ended = try await lab.run("device-sim", node + ["--first-index", "500"]) { processID in
                    try await lab.eventually("the stranger's node is online", within: .seconds(5)) {
                        try await lab.fleet("status").status == 0
                            && lab.text("logs/controller.log").contains("stranger is online")
                    }
                    try await lab.expect(77, "toggle", foreign, "--json")
                    #expect(try await lab.devices().allSatisfy { $0.id != foreign })
                    #expect(try await lab.status().devices == 20)
                    kill(processID, SIGTERM)
                }
                #expect(ended.status == 0)
            }
        }

        @Test("a toggle for a full lane is busy at once, and a neighbour's is applied")
        func fullLane() async throws {
            try await Lab.withFleet { lab in
                try await lab.succeed("inject", "hang", "Bedroom 1", "--for", "1m")
                // The first must still wait when the last comes.
                let timeout = "\(min(4 * Slowdown.factor, 30))s"
                let toggles = Array(repeating: ["Bedroom 1", "--timeout", timeout], count: 20)
                let outcomes = try await withThrowingTaskGroup(of: (String, Int32).self) { group in
                    for arguments in toggles + [["Bedroom 2"]] {
                        group.addTask {
                            let ended = try await lab.fleet(["toggle", "--json"] + arguments)
                            return (try ended.line(ToggleLine.self).outcome, ended.status)
                        }
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

    @Suite("Cancels from the command line", .timeLimit(.minutes(1)))
    struct CancelTests {
        @Test(
            "Ctrl-C and a cancel elsewhere end a toggle in time; one prevents a toggle that has not arrived")
        func cancels() async throws {
            try await Lab.withFleet { lab in
                let before = try await lab.device("Bedroom 1")
                try await lab.succeed("inject", "hang", "Bedroom 1", "--for", "1m")
                let id = Lab.requestID()
                let arguments = ["toggle", "Bedroom 1", "--timeout", "20s", "--request-id", id]
                let interrupted = try await lab.run("fleet", arguments) { processID in
                    try await lab.eventually("the toggle is in flight", within: .seconds(5)) {
                        try await lab.fleet("outcome", id).status == 75
                    }
                    kill(processID, SIGINT)
                }
                #expect(interrupted.status == 1)
                let text = interrupted.output + interrupted.talk
                #expect(text.contains("cancelled: nothing was changed"), "\(text)")

                let other = Lab.requestID()
                let toggle = try await lab.toggle("Bedroom 1", id: other, timeout: "20s") { _ in
                    let cancel = try await lab.fleet("cancel", other, "--json")
                    #expect(try cancel.line(CancelLine.self).result == "cancelled")
                }
                #expect(toggle.status == 1)
                #expect(try toggle.line(ToggleLine.self).outcome == "cancelled")
                let after = try await lab.device("Bedroom 1")
                #expect(after.version == before.version && after.on == before.on)
                let done = try await lab.toggle("Bedroom 2")
                let late = try await lab.expect(1, "cancel", done.requestID, "--json").line(CancelLine.self)
                #expect(late.result == "tooLate" && late.outcome == "applied")

                let early = Lab.requestID()
                let cancel = try await lab.fleet("cancel", early, "--json").line(CancelLine.self)
                #expect(cancel.result == "cancelled")
                let never = try await lab.expect(1, "toggle", "Kitchen 1", "--request-id", early, "--json")
                #expect(try never.line(ToggleLine.self).outcome == "cancelled")
                #expect(try await lab.device("Kitchen 1").version == 1)
            }
        }
    }
}
