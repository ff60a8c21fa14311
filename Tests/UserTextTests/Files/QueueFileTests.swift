import DeviceCore
import FleetProtocol
import Foundation
import Testing
import UserFiles

@Suite("Command queue files")
struct QueueFileTests {
    private func read(_ text: String) throws -> QueueFile {
        try QueueFile(Array(text.utf8), file: "evening.yaml")
    }

    /// The error for an invalid text.
    private func complaint(_ text: String) -> String {
        do throws(InvalidFile) {
            _ = try QueueFile(Array(text.utf8), file: "evening.yaml")
            return "nothing"
        } catch {
            return error.description
        }
    }

    @Test("a queue file has the devices, commands and durations, and what to do after a failure")
    func whole() throws {
        let file = try read(
            """
            on-failure: go-on
            device: Bedroom 7
            commands:
              - {id: warm, takes: 5s, set: {power: on, mode: heat, temperature: -2, unit: celsius}}
              - {device: Hall, takes: 1.5s, do: toggle}
              - id: "3"
                set: {power: off, fan: low, swing: rangeFull, horizontal-swing: both, light: off}
            """)
        #expect(file.onFailure == .proceed)
        #expect(file.commands.map(\.label) == ["warm", "2", "3"])
        #expect(file.commands.map(\.device) == ["Bedroom 7", "Hall", "Bedroom 7"])
        #expect(file.commands.map(\.takes) == [.seconds(5), .milliseconds(1_500), .zero])
        #expect(file.commands.map(\.line) == [4, 5, 6])
        #expect(
            file.commands[0].kind
                == .set(
                    ACStateChange(isOn: true, mode: .heat, targetTemperature: -2, temperatureUnit: .celsius)))
        #expect(file.commands[1].kind == .toggle)
        #expect(
            file.commands[2].kind
                == .set(
                    ACStateChange(
                        isOn: false, fanLevel: .low, swing: .rangeFull, horizontalSwing: .both,
                        light: .off)))
    }

    @Test("a queue file may be JSON, and stops at a failure by default")
    func json() throws {
        let file = try read(#"{"commands": [{"id": "1", "device": "Hall", "do": "toggle", "takes": "1s"}]}"#)
        #expect(file.onFailure == .stop)
        #expect(file.commands.count == 1)
    }

    @Test(
        "an invalid queue file is refused with the line and the allowed values",
        arguments: [
            ("", "evening.yaml: found nothing; allowed: a mapping of on-failure, device, commands"),
            (
                "device: Hall",
                "evening.yaml:1:1: found no commands; allowed: commands: a list of 1 to 100 of them"
            ),
            (
                "commands: [{device: a, do: togle}]",
                "evening.yaml:1:28: commands[0].do: found 'togle'; allowed: toggle; did you mean toggle?"
            ),
            (
                "commands: [{do: toggle}]",
                "evening.yaml:1:12: commands[0]: found no device; allowed: device: an ID, a name or a "
                    + "part of one, here or before commands for all"
            ),
            (
                "device: a\ncommands: [{id: x}]",
                "evening.yaml:2:12: commands[0]: found neither do nor set; allowed: one of do: toggle "
                    + "and set: {power: on, …}"
            ),
            (
                "device: a\ncommands:\n- {id: x, do: toggle}\n- {id: x, do: toggle}",
                "evening.yaml:4:3: commands[1]: found the id 'x' again; allowed: a unique id "
                    + "for each command"
            ),
            (
                "device: a\ncommands: [{do: toggle, takes: 2h}]",
                "evening.yaml:2:32: commands[0].takes: found '2h'; allowed: a duration from 0s to 1h, "
                    + "such as 200ms, 5s, 2m or 1h"
            ),
            (
                "device: a\ncommands: [{set: {powr: on}}]",
                "evening.yaml:2:19: commands[0].set.powr: found an unknown key; did you mean power?; "
                    + "allowed: power, mode, temperature, unit, fan, swing, horizontal-swing, light"
            ),
        ])
    func wrong(text: String, complaint: String) {
        #expect(self.complaint(text) == complaint)
    }

    @Test("a missing queue file is refused")
    func absent() {
        #expect(throws: InvalidFile.self) { try QueueFile("nowhere.yaml", relativeTo: "/") }
    }
}

@Suite("Files from the editors of other systems")
struct EditorsTests {
    @Test(
        "scenarios and command queues are read alike with a byte order mark and with other line ends",
        arguments: [true, false], ["\n", "\r\n", "\r"])
    func alike(hasMark: Bool, end: String) throws {
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { _ = Result { try FileManager.default.removeItem(atPath: place) } }
        func write(_ lines: [String], as name: String) throws -> String {
            let text = (hasMark ? "\u{feff}" : "") + lines.map { $0 + end }.joined()
            try Data(text.utf8).write(to: URL(filePath: "\(place)/\(name)"))
            return "\(place)/\(name)"
        }
        let scenario = try write(
            ["name: Saved by Notepad", "about: Two keys", "infrared:", "  loss: 0.5"], as: "s.yaml")
        let read = try ScenarioChoice(scenario, relativeTo: place).scenario
        #expect(read.name == "Saved by Notepad")
        #expect(read.infrared.loss == 0.5)
        let queue = try QueueFile(
            try write(
                ["on-failure: go-on", "device: Hall", "commands:", "  - {do: toggle, takes: 1s}"], as: "q"),
            relativeTo: place)
        #expect(queue.onFailure == .proceed)
        #expect(queue.commands.map(\.device) == ["Hall"])
    }
}
