import ArgumentParser
import Glibc
import Subprocess
import SystemPackage
import UserText

/// A command that is called for a notification, without a shell. The text of the notification is the last
/// argument, and ``FleetNotification/environment`` is added to the environment.
struct NotifyCommand: Sendable, Equatable {
    static let timeout: Duration = .seconds(10)
    /// The time from SIGTERM to SIGKILL: shorter than the end of the observer may take (``LastSecond``).
    static let grace: Duration = .milliseconds(500)

    let executable: String
    let arguments: [String]

    /// The command of a line; nil if its executable is not found in the search path, separated by colons.
    init?(_ line: String, searchPath: String) {
        let words = line.split(separator: " ").map(String.init)
        guard let name = words.first else { return nil }
        let directories = searchPath.split(separator: ":").filter { $0.hasPrefix("/") }
        let candidates = name.contains("/") ? [name] : directories.map { "\($0)/\(name)" }
        guard let path = candidates.first(where: { access($0, X_OK) == 0 }) else { return nil }
        (executable, arguments) = (path, Array(words.dropFirst()))
    }

    /// Calls the command, and waits for its end; returns why it failed, nil if it exited with 0.
    func call(
        for notification: FleetNotification, timeout: Duration = timeout,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask { await run(for: notification) }
            group.addTask {
                // An error means that the command has ended.
                _ = try? await sleep(timeout)
                return "\(executable): no exit within \(DurationText.text(timeout))"
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    private func run(for notification: FleetNotification) async -> String? {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: Self.grace)
        ]
        let variables = notification.environment.map {
            (Subprocess.Environment.Key(stringLiteral: $0.name), $0.value)
        }
        do {
            let result = try await Subprocess.run(
                .path(FilePath(executable)), arguments: Subprocess.Arguments(arguments + [notification.text]),
                environment: .inherit.updating(Dictionary(uniqueKeysWithValues: variables)),
                platformOptions: options, input: .none, output: .discarded, error: .discarded)
            // A part of its group may ignore SIGTERM, or be younger.
            if Task.isCancelled { kill(-result.processIdentifier.value, SIGKILL) }
            return switch result.terminationStatus {
            case .exited(0): nil
            case .exited(let code): "\(executable): exit status \(code)"
            case .signaled(let signal): "\(executable): ended by signal \(signal)"
            }
        } catch {
            return "\(executable): \(error)"
        }
    }
}

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

    /// Returns the command and the condition of its devices; fails if the executable is not found.
    func notifier(in environment: [String: String]) throws -> (command: NotifyCommand, filter: EventFilter)? {
        guard let notify else { return nil }
        guard let command = NotifyCommand(notify, searchPath: environment["PATH"] ?? "") else {
            throw World.Failure(
                "--notify: no such executable: \(notify); give its path, or a name in PATH", code: 64)
        }
        return (command, notifyFilter ?? .all)
    }
}
