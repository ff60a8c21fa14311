import ArgumentParser
import DeviceCore
import FleetProtocol
import Runtime
import ScenarioFiles
import Wording

/// `device-sim explain`: what a scenario will do to a fleet, in words and numbers.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks a scenario, and tells what it will do to a fleet.",
        discussion: """
            A file that is wrong ends with status 64 and every wrong place: its line, what was found and \
            what is allowed.

            EXAMPLES
              device-sim explain --scenario office-day
              device-sim explain --scenario worst-day --devices 10000 --json
            """)

    @Option(
        help: ArgumentHelp(
            "What to explain: \(ReadyMadeScenario.names); or a file.", valueName: "name|file"),
        transform: { try ScenarioChoice($0).scenario })
    var scenario: Scenario

    @Option(help: "How many devices the fleet is to have, 1 to \(Limits.nodeDevices).")
    var devices = 100

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard (1...Limits.nodeDevices).contains(devices) else {
            throw ValidationError("--devices \(devices): there can be 1 to \(Limits.nodeDevices)")
        }
    }

    func run() throws {
        let preview = ScenarioPreview(of: scenario, devices: devices)
        let lines = json ? [preview.json.line] : preview.lines
        try TextOutput.standardOutput.write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }
}
