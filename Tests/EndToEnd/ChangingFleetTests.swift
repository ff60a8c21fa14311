import Foundation
import Testing

extension EndToEnd {
    /// Changes that operators make while a fleet runs.
    @Suite("Changes of a running fleet", .timeLimit(.minutes(2)))
    struct ChangingFleetTests {
        private struct ScaleLine: Decodable, Equatable {
            let devices: Int
            let before: Int
            let nodes: Int
        }

        private struct ScenarioLine: Decodable, Equatable {
            let scenario: String
            let nodes: Int
            let devices: Int
            let populationKept: Bool
        }

        /// The state of each device that must not change.
        private static func deviceStates(_ lab: Lab) async throws -> [String: String] {
            let devices = try await lab.devices()
            return Dictionary(
                uniqueKeysWithValues: devices.map {
                    ($0.id, "\($0.name), \($0.on), version \($0.version) of \($0.incarnation)")
                })
        }

        @Test("a scaled-down fleet stays smaller when its controller is killed right after the scale")
        func killedAfterScale() async throws {
            try await Lab.withFleet(devices: 10) { lab in
                // The retired devices belong to a node that ends, so it cannot report that it no longer has
                // them.
                for size in ["30", "10"] { try await lab.succeed("scale", size) }
                try await lab.kill("controller")
                try await lab.awaitOnline(10)
                #expect(try await lab.status().devices == 10)
            }
        }

        @Test("a fleet is scaled up and down, and the remaining devices are not affected")
        func scale() async throws {
            try await Lab.withFleet(devices: 20, ["--nodes", "2"]) { lab in
                _ = try await lab.toggle("Bedroom 1")
                let before = try await Self.deviceStates(lab)
                let pids = try await lab.status().processes.compactMap(\.pid)

                let grown = try await lab.succeed("scale", "33", "--json").line(ScaleLine.self)
                #expect(grown == ScaleLine(devices: 33, before: 20, nodes: 3))
                let larger = try await Self.deviceStates(lab)
                #expect(larger.count == 33)
                #expect(before.allSatisfy { larger[$0.key] == $0.value })
                #expect(Array(try await lab.status().processes.compactMap(\.pid).prefix(3)) == pids)
                try await lab.succeed("toggle", "Bedroom 4")

                let shrunk = try await lab.succeed("scale", "15", "--json").line(ScaleLine.self)
                #expect(shrunk == ScaleLine(devices: 15, before: 33, nodes: 2))
                let smaller = try await Self.deviceStates(lab)
                #expect(smaller.count == 15)
                #expect(smaller.allSatisfy { before[$0.key] == $0.value })
                let status = try await lab.status()
                #expect([status.devices, status.online] == [15, 15])
                #expect(status.processes.compactMap(\.pid) == pids)
                try await lab.expect(77, "toggle", "Bedroom 4")

                try await lab.killNode("node-2")
                try await lab.succeed("restart", "node-2")
                try await lab.awaitOnline(15, within: .seconds(5))
                #expect(try await lab.status().devices == 15)
                #expect(try await Self.deviceStates(lab) == smaller)
            }
        }

        @Test("a running fleet changes to another scenario, and so do nodes that start later")
        func scenario() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                let before = try await Self.deviceStates(lab)
                try lab.write(
                    "name: busy\npeople: {hand-remotes-per-hour: 3600}\npopulation: [{rooms: [Lab]}]\n",
                    to: "busy.yaml")
                let changed = try await lab.succeed("scenario", "./busy.yaml", "--json")
                #expect(
                    try changed.line(ScenarioLine.self)
                        == ScenarioLine(scenario: "busy", nodes: 1, devices: 20, populationKept: true))
                try await lab.eventually("people switch devices", within: .seconds(5)) {
                    try await Self.deviceStates(lab) != before
                }
                try await lab.succeed("restart", "node-1")
                try await lab.awaitOnline(20, within: .seconds(5))
                let restarted = try await lab.devices()
                #expect(!restarted.contains { $0.name.hasPrefix("Lab") })
                try await lab.eventually("people still switch devices", within: .seconds(5)) {
                    try await lab.devices().map(\.version) != restarted.map(\.version)
                }
                try lab.write("people: {hand-remotes: 1}\n", to: "busy.yaml")
                try await lab.expect(64, "scenario", "./busy.yaml", saying: ["busy.yaml:1:"])
            }
        }

        @Test("a heal ends faults at once, and a fleet survives the crash of a node")
        func healAndCrash() async throws {
            try await Lab.withFleet(devices: 20, ["--restart-nodes"]) { lab in
                try await lab.succeed("inject", "offline", "bed*", "--for", "10m")
                try await lab.eventually("bedrooms are offline", within: .seconds(5)) {
                    try await lab.status().offline == 2
                }
                #expect(try await lab.succeed("heal").output == "healed: 2 devices\n")
                try await lab.awaitOnline(20, within: .seconds(5))
                let before = try await Self.deviceStates(lab)
                let pid = try await lab.processID("node-1")
                try await lab.succeed("inject", "crash", "Kitchen 1")
                try await lab.eventually("another process has the devices", within: .seconds(10)) {
                    let status = try await lab.status()
                    let now = status.processes.first { $0.name == "node-1" }?.pid
                    return now != nil && now != pid && status.online == 20
                }
                #expect(try await Self.deviceStates(lab) == before)
            }
        }
    }
}
