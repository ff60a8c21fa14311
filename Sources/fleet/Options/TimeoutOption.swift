import ArgumentParser
import FleetProtocol
import Runtime

/// How long a command to a device may take.
struct TimeoutOption: ParsableArguments {
    @Option(
        name: .customLong("timeout"), parsing: .unconditional,
        help: ArgumentHelp(
            "How long the device has: above 0s, at most \(DurationText.text(Limits.longestPatience)).",
            valueName: "duration"),
        transform: Self.patience)
    var patience: Duration = Limits.defaultPatience

    private static func patience(_ text: String) throws -> Duration {
        let allowed = "a timeout is above 0s and at most \(DurationText.text(Limits.longestPatience))"
        do {
            let patience = try DurationText.parse(text)
            guard patience > .zero, patience <= Limits.longestPatience else {
                throw ValidationError(allowed)
            }
            return patience
        } catch let error as RuntimeError {
            throw ValidationError("\(error); \(allowed)")
        }
    }
}
