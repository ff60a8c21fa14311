import DeviceCore
import FleetProtocol
import Foundation
import Testing
import UserFiles

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
