import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Changes that operators make while a fleet runs.
    @Suite("Changes of a running fleet")
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

        @Test(
            "a scaled-down fleet stays smaller when its controller is killed right after the scale",
            .timeLimit(.minutes(1)))
        func killedAfterScale() async throws {
            try await Lab.withFleet(devices: 10) { lab in
                // The retired devices belong to a node that ends, so it cannot report that it no longer has
                // them.
                for size in ["30", "10"] { #expect(try await lab.fleet("scale", size).status == 0) }
                kill(try await lab.processID("controller"), SIGKILL)
                try await lab.eventually("all are online", within: .seconds(10)) {
                    try await lab.status().online == 10
                }
                #expect(try await lab.status().devices == 10)
            }
        }

        @Test(
            "a fleet is scaled up and down, and the remaining devices are not affected",
            .timeLimit(.minutes(2)))
        func scale() async throws {
            try await Lab.withFleet(devices: 20, ["--nodes", "2"]) { lab in
                _ = try await lab.fleet("toggle", "Bedroom 1")
                let before = try await Self.deviceStates(lab)
                let pids = try await lab.status().processes.compactMap(\.pid)

                let grown = try await lab.fleet("scale", "33", "--json")
                #expect(grown.status == 0, "\(grown.talk)")
                #expect(try grown.line(ScaleLine.self) == ScaleLine(devices: 33, before: 20, nodes: 3))
                let larger = try await Self.deviceStates(lab)
                #expect(larger.count == 33)
                #expect(before.allSatisfy { larger[$0.key] == $0.value })
                #expect(Array(try await lab.status().processes.compactMap(\.pid).prefix(3)) == pids)
                let toggle = try await lab.fleet("toggle", "Bedroom 4")
                #expect(toggle.status == 0, "\(toggle.talk)")

                let shrunk = try await lab.fleet("scale", "15", "--json")
                #expect(shrunk.status == 0, "\(shrunk.talk)")
                #expect(try shrunk.line(ScaleLine.self) == ScaleLine(devices: 15, before: 33, nodes: 2))
                let smaller = try await Self.deviceStates(lab)
                #expect(smaller.count == 15)
                #expect(smaller.allSatisfy { before[$0.key] == $0.value })
                let status = try await lab.status()
                #expect([status.devices, status.online] == [15, 15])
                #expect(status.processes.compactMap(\.pid) == pids)
                #expect(try await lab.fleet("toggle", "Bedroom 4").status == 77)

                kill(try await lab.processID("node-2"), SIGKILL)
                try await lab.eventually("node-2 has ended", within: .seconds(5)) {
                    try await lab.status().processes.first { $0.name == "node-2" }?.state == "dead"
                }
                #expect(try await lab.fleet("restart", "node-2").status == 0)
                try await lab.eventually("the remaining devices are back", within: .seconds(5)) {
                    let status = try await lab.status()
                    return status.online == 15 && status.devices == 15
                }
                #expect(try await Self.deviceStates(lab) == smaller)
            }
        }

        @Test(
            "a running fleet changes to another scenario, and so do nodes that start later",
            .timeLimit(.minutes(1)))
        func scenario() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                let before = try await Self.deviceStates(lab)
                let file = lab.directory + "/busy.yaml"
                let text = "name: busy\npeople: {hand-remotes-per-hour: 3600}\npopulation: [{rooms: [Lab]}]\n"
                try Data(text.utf8).write(to: URL(filePath: file))
                let changed = try await lab.fleet("scenario", "./busy.yaml", "--json")
                #expect(changed.status == 0, "\(changed.talk)")
                #expect(
                    try changed.line(ScenarioLine.self)
                        == ScenarioLine(scenario: "busy", nodes: 1, devices: 20, populationKept: true))
                try await lab.eventually("people switch devices", within: .seconds(5)) {
                    try await Self.deviceStates(lab) != before
                }
                #expect(try await lab.fleet("restart", "node-1").status == 0)
                try await lab.eventually("all are online again", within: .seconds(5)) {
                    try await lab.status().online == 20
                }
                let restarted = try await lab.devices()
                #expect(!restarted.contains { $0.name.hasPrefix("Lab") })
                try await lab.eventually("people still switch devices", within: .seconds(5)) {
                    let versions = try await lab.devices().map(\.version)
                    return zip(versions, restarted.map(\.version)).contains { $0 != $1 }
                }
                try Data("people: {hand-remotes: 1}\n".utf8).write(to: URL(filePath: file))
                let wrong = try await lab.fleet("scenario", "./busy.yaml")
                #expect(wrong.status == 64)
                #expect(wrong.talk.contains("busy.yaml:1:"), "\(wrong.talk)")
            }
        }

        @Test("a heal ends faults at once, and a fleet survives the crash of a node", .timeLimit(.minutes(1)))
        func healAndCrash() async throws {
            try await Lab.withFleet(devices: 20, ["--restart-nodes"]) { lab in
                _ = try await lab.fleet("inject", "offline", "bed*", "--for", "10m")
                try await lab.eventually("bedrooms are offline", within: .seconds(5)) {
                    try await lab.status().offline == 2
                }
                let healed = try await lab.fleet("heal")
                #expect(healed.status == 0, "\(healed.talk)")
                #expect(healed.output == "healed: 2 devices\n")
                try await lab.eventually("all are online", within: .seconds(5)) {
                    try await lab.status().online == 20
                }
                let before = try await Self.deviceStates(lab)
                let pid = try await lab.processID("node-1")
                #expect(try await lab.fleet("inject", "crash", "Kitchen 1").status == 0)
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
