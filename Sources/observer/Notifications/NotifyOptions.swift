import ArgumentParser
import Glibc

/// The options of the command that is called for events.
struct NotifyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Call this command when a device goes offline, a node is lost, or a toggle fails: an executable and \
            its arguments, separated by spaces; not passed to a shell. The last argument is a text. At most \
            one call in 10s; events in between are combined.
            """, valueName: "command"))
    var notify: String?

    @Option(
        help: ArgumentHelp(
            "Call it only for devices that match a condition.", valueName: "condition"),
        transform: Arguments.filter)
    var notifyFilter: EventFilter?

    func validate() throws {
        guard notifyFilter == nil || notify != nil else {
            throw ValidationError("--notify-filter needs --notify: give a command to call")
        }
    }

    /// Returns the command and the condition of its devices; nil without a command.
    ///
    /// - Throws: `World.Failure` if the executable is not found.
    func notifier(in environment: [String: String]) throws -> (command: NotifyCommand, filter: EventFilter)? {
        guard let notify else { return nil }
        guard let command = NotifyCommand(notify, searchPath: environment["PATH"] ?? "") else {
            throw World.Failure(
                "--notify: no such executable: \(notify); give its path, or a name in PATH", code: 64)
        }
        return (command, notifyFilter ?? .all)
    }
}
