import ArgumentParser
import DeviceCore
import FleetProtocol
import Foundation
import FoundationXML
import ProcessSupport
import Testing
import UserFiles
import UserText

@testable import device_sim

@Suite("device-sim rehearse")
struct RehearsalTests {
    private func rehearsed(
        _ name: String, devices: Int, hours: Int64
    ) throws -> (scenario: Scenario, record: RehearsalRecord) {
        let scenario = try ScenarioChoice(name).scenario
        var rehearsal = Rehearsal(
            NodeConfiguration(name: .first, account: .demo, devices: devices, scenario: scenario))
        var record = RehearsalRecord(of: rehearsal.node)
        for end in RehearsalRecord.sampleTimesMs(until: hours * 3_600_000) {
            rehearsal.run(untilMs: end) { record.add($1) }
            record.sample(rehearsal)
        }
        return (scenario, record)
    }

    @Test("a rehearsal counts events, and samples the fleet every five minutes")
    func record() throws {
        let (_, record) = try rehearsed("thundering-herd", devices: 200, hours: 24)
        #expect(record.samples.count == 24 * 12 + 1)
        #expect(record.samples.map(\.elapsedMs) == (0...288).map { Int64($0) * 300_000 })
        #expect(record.samples.contains { $0.connected < 100 })
        #expect(record.samples.last?.connected == 200)
        let measurements = record.samples.map(\.events.measurements).reduce(0, +)
        // A measurement every 90 s of each connected device.
        #expect((180_000...200 * 961).contains(measurements))
        #expect(record.rooms.map(\.slot) == [0, 66, 133])
    }

    @Test("a rehearsal has a sample at the end, too")
    func end() {
        #expect(RehearsalRecord.sampleTimesMs(until: 1) == [0, 1])
        #expect(RehearsalRecord.sampleTimesMs(until: 300_000) == [0, 300_000])
        #expect(RehearsalRecord.sampleTimesMs(until: 300_001) == [0, 300_000, 300_001])
    }

    @Test("a rehearsal prints a line per hour of the scenario's clock, and the totals")
    func table() throws {
        let (scenario, record) = try rehearsed("office-day", devices: 30, hours: 3)
        let lines = RehearsalTable(record, of: scenario).lines
        #expect(lines.dropFirst().prefix(4).map { $0.prefix(5) } == ["06:00", "07:00", "08:00", "09:00"])
        #expect(lines.count == 7)
        let changes = record.samples.map(\.events.changes).reduce(0, +)
        #expect(changes > 0)
        let measurements = FigureText.count(record.samples.map(\.events.measurements).reduce(0, +))
        #expect(lines.last == "\(changes) changes, \(measurements) measurements, the node crashed 0 times")
    }

    @Test("a rehearsal draws a self-contained picture of three rooms and the devices")
    func picture() throws {
        let (scenario, record) = try rehearsed("office-day", devices: 30, hours: 24)
        let svg = RehearsalPicture(record, of: scenario).svg
        let parser = XMLParser(data: Data(svg.utf8))
        #expect(
            parser.parse(), "line \(parser.lineNumber): \(parser.parserError?.localizedDescription ?? "")")
        let lines = svg.components(separatedBy: "<polyline ").dropFirst()
        #expect(lines.count == 6)
        for line in lines {
            let points = line.components(separatedBy: "points=\"")[1].prefix { $0 != "\"" }.split(
                separator: " ")
            #expect(points.count == 289)
            let isInside = points.allSatisfy { point in
                let pair = point.split(separator: ",").compactMap { Double($0) }
                return pair.count == 2 && (0...720).contains(pair[0]) && (0...300).contains(pair[1])
            }
            #expect(isInside)
        }
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }

    @Test(
        "invalid arguments of rehearse are usage errors",
        arguments: [
            ("", "scenario"), ("--scenario quiet --devices 0", "1000000"),
            ("--scenario quiet --for 0s", "above 0s and at most 168h"), ("--scenario quiet --for 1d", "unit"),
            ("--scenario quiet --svg --events", "already been set"),
        ])
    func usage(line: String, hint: String) throws {
        let error = try #require(
            #expect(throws: (any Error).self) {
                try DeviceSimCommand.parseAsRoot(["rehearse"] + line.split(separator: " ").map(String.init))
            })
        #expect(DeviceSimCommand.exitCode(for: error).rawValue == 64)
        let text = DeviceSimCommand.fullMessage(for: error)
        #expect(text.contains(hint), "\(text)")
    }
}
