import DeviceCore
import Foundation
import Testing
import UserFiles
import UserText

/// Previews are compared literally: a change of one appears in the review.
///
/// `SENSIBUS_WRITE_SNAPSHOTS=1 make test FILTER=PreviewTests` rewrites the files.
@Suite("Previews of scenarios")
struct PreviewTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Snapshots")
    private static let writes = ProcessInfo.processInfo.environment["SENSIBUS_WRITE_SNAPSHOTS"] == "1"

    private func expect(_ text: String, asIn name: String) throws {
        let file = Self.directory.appending(path: name)
        if Self.writes {
            try FileManager.default.createDirectory(at: Self.directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let stored = try String(contentsOf: file, encoding: .utf8)
        #expect(text == stored, "if this change is intended, rewrite \(name)")
    }

    @Test(
        "a scenario's text preview equals its snapshot",
        arguments: [ReadyMadeScenario.quiet, .officeDay, .worstDay, .cloudy])
    func text(readyMade: ReadyMadeScenario) throws {
        let preview = ScenarioPreview(of: try readyMade.scenario(), devices: 100)
        try expect(preview.lines.joined(separator: "\n") + "\n", asIn: "\(readyMade.rawValue).txt")
    }

    @Test("a scenario's JSON preview equals its snapshot, and is valid JSON")
    func json() throws {
        let preview = ScenarioPreview(of: try ReadyMadeScenario.worstDay.scenario(), devices: 100)
        try expect(preview.json.line + "\n", asIn: "worst-day.json")
        let object = try JSONSerialization.jsonObject(with: Data(preview.json.line.utf8)) as? [String: Any]
        #expect(object?["devices"] as? Int == 100)
        let rooms = try #require(object?["population"] as? [[String: Any]])
        #expect(rooms.compactMap { $0["devices"] as? Int }.reduce(0, +) == 100)
    }

    @Test("a preview has the rate of reports: one per device every 90 simulated seconds")
    func reports() throws {
        let preview = ScenarioPreview(of: try ReadyMadeScenario.officeDay.scenario(), devices: 900)
        #expect(preview.lines.contains { $0.hasPrefix("6,000/s reports") })
    }

    @Test("a preview fits any number of devices", arguments: [1, 2, 7, 1_000_000])
    func sizes(devices: Int) throws {
        for readyMade in ReadyMadeScenario.allCases {
            let preview = ScenarioPreview(of: try readyMade.scenario(), devices: devices)
            #expect(preview.lines.contains { $0.hasPrefix("\(FigureText.count(devices)) in all: ") })
            #expect(preview.json.line.contains("\"devices\":\(devices)"))
        }
    }
}
