import ArgumentParser
import FleetProtocol
import Stepping
import Wording

/// `fleet timer`: has a device set once, later.
struct TimerCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "timer",
        abstract: "Have a device set once, later; or show what is planned.",
        discussion: """
            The device itself waits, by the simulated clock, also while its node or the \
            controller is away; what was due meanwhile is done at its return. A new \
            timer takes the place of the one before. A change is what it sets, word by \
            word with commas between: on, off, a mode, whole degrees, fan:LEVEL.

            EXAMPLES
              fleet timer "Bedroom 7" --in 30m --off
              fleet timer "Hall 1" --in 7h --set on,heat,21
              fleet timer "Hall 1" --cancel
              fleet timer "Hall 1"
            """)

    @OptionGroup var target: SettingOptions

    private static let longest = Duration.seconds(Int64(SettingChange.timerSeconds.upperBound))

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("How long it waits: 1s to 24h of the simulated clock.", valueName: "duration"),
        transform: { try .parse($0, upTo: longest, "a timer is") })
    var delay: Duration?

    @Flag(exclusivity: .exclusive)
    var power: SetCommand.Power?

    @Option(
        help: ArgumentHelp("What is set then, such as on,heat,21.", valueName: "change"),
        transform: ACStateChange.parse)
    var set: ACStateChange?

    @Flag(help: "Plan nothing any more.")
    var cancel = false

    func validate() throws {
        if cancel, delay != nil || power != nil || set != nil {
            throw ValidationError("--cancel stands alone: leave out --in, --on, --off and --set")
        }
        guard power == nil || set == nil else {
            throw ValidationError("--set says on or off too: leave out --on and --off")
        }
        guard (delay != nil) == (power != nil || set != nil) else {
            throw ValidationError("say when and what: --in 30m and one of --on, --off and --set")
        }
        if let delay, delay < .seconds(1) { throw ValidationError("a timer is at least 1s") }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.timer?.words ?? "no timer; set one with --in and --off, --on or --set"
        }
    }

    /// What is asked; nil for nothing.
    var change: SettingChange? {
        if cancel { return .noTimer }
        guard let delay else { return nil }
        let wanted = set ?? ACStateChange(isOn: power.map { $0 == .on })
        return .timer(wanted, afterSeconds: UInt32(clamping: delay.wholeMilliseconds / 1_000))
    }
}
