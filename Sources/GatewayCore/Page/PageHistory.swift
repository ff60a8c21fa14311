public import FleetProtocol
import Stepping
public import Wording

/// What a device has been through, as the page shows it.
public enum PageHistory {
    /// Its measurements, changes and ends of requests as a JSON object, each from the oldest to the newest.
    ///
    /// A day of measurements, and as many of the others as are remembered; times in unix milliseconds.
    public static func json(
        of device: DeviceID, in pods: PodHistory, _ ends: RequestEnds
    ) -> JSONValue {
        let samples = pods.samples(of: device, since: WallTime(unixMilliseconds: 0))
        let changes = pods.changes(of: device, limit: PodHistory.changesAtMost).reversed().filter {
            $0.isMade && $0.before != $0.after
        }
        // What it was before the first change that is remembered: as far back as anything is.
        let first = changes.first.flatMap { change in
            change.before.map { state in
                self.change(to: state, at: min(change.at, samples.first?.at ?? change.at), by: nil)
            }
        }
        let later = changes.map { change(to: $0.after, at: $0.at, by: $0.cause) }
        return [
            "measurements": .array(samples.map(measurement)),
            "changes": .array([first].compactMap { $0 } + later),
            "outcomes": .array(ends.of(device).map { PageEnding.history($0.report, at: $0.at) }),
        ]
    }

    private static func measurement(_ sample: Sample) -> JSONValue {
        [
            "at": .integer(sample.at.unixMilliseconds),
            "temperature": .number(Double(sample.deciCelsius) / 10),
            "humidity": .number(Double(sample.humidityPermille) / 10),
        ]
    }

    private static func change(to state: ACState, at time: WallTime, by cause: ChangeCause?) -> JSONValue {
        [
            "at": .integer(time.unixMilliseconds), "on": .bool(state.isOn), "mode": .string(state.mode.name),
            "targetTemperature": .integer(Int64(state.targetTemperature)), "cause": .text(cause?.name),
        ]
    }
}
