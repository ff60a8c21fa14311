import FleetProtocol
public import FuzzSupport
import UserFiles

/// The decoders of files that people write.
public enum FuzzTexts {
    /// Its targets.
    public static let targets = [
        FuzzTarget("scenario", heapBytes: yamlBytes) { input, heap in
            let scenario = try heap.decode(input) {
                try ScenarioText.parse($0, file: "fuzz", name: "fuzz")
            }
            guard let scenario else { return }
            let preview = ScenarioPreview(of: scenario, devices: 100)
            _ = (preview.lines, preview.json)
        },
        FuzzTarget("command-queue", heapBytes: yamlBytes) { input, heap in
            guard let file = try heap.decode(input, { try QueueFile($0, file: "fuzz") }) else { return }
            let commands = file.commands.compactMap { command in
                DeviceID(command.device).map {
                    QueueCommand(label: command.label, device: $0, kind: command.kind, takes: command.takes)
                }
            }
            guard let plan = try? QueuePlan(commands: commands, onFailure: file.onFailure) else { return }
            try FuzzTarget.expectSameAfterEncoding(QueueRequest.start(FuzzTarget.requestID, plan))
        },
        FuzzTarget("roster-csv") { input, heap in
            guard let clock else { throw FuzzTarget.Violation("no time zone Europe/Oslo") }
            let file = try heap.decode(input) {
                try ShiftFile($0, by: clock)
            }
            guard let file else { return }
            let text = ShiftFile.lines(of: file.shifts, by: clock).joined(separator: "\n")
            guard try ShiftFile(Array(text.utf8), by: clock).shifts == file.shifts else {
                throw FuzzTarget.Violation("shifts differ after writing: \(file.shifts)")
            }
        },
    ]

    /// libYAML has a token of a hundred bytes for each bracket.
    private static let yamlBytes = 1_024 * 1_024

    /// The clock has read its zone already, so that no decoding has that memory.
    private static let clock: ZoneClock? = {
        let database = ZoneDatabase(directory: "/usr/share/zoneinfo")
        guard let zone = TimeZoneName("Europe/Oslo"), let clock = ZoneClock(zone, in: database) else {
            return nil
        }
        _ = clock.local(WallTime(unixMilliseconds: 0))
        return clock
    }()
}
