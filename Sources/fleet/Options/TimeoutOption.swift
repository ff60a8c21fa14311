import ArgumentParser
import FleetProtocol
import Wording

/// How long a command to a device may take.
struct TimeoutOption: ParsableArguments {
    @Option(
        name: .customLong("timeout"), parsing: .unconditional,
        help: ArgumentHelp(
            "How long the device has: above 0s, at most \(DurationText.text(Limits.longestPatience)).",
            valueName: "duration"),
        transform: { try .parse($0, upTo: Limits.longestPatience, "a timeout is") })
    var patience: Duration = Limits.defaultPatience
}
