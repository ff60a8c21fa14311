public import ArgumentParser
import Glibc
import UserText

/// The start and the end of a program: each prints its errors through ``exit(reporting:)``.
extension ParsableCommand {
    /// Parses the command line, runs the command, and exits if it throws.
    public static func runAsMain() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            exit(reporting: error)
        }
    }

    /// Parses the command line, runs the command, which may be asynchronous, and exits if it throws.
    public static func runAsMain() async {
        do {
            var command = try parseAsRoot()
            guard var waiting = command as? any AsyncParsableCommand else { return try command.run() }
            try await waiting.run()
        } catch {
            exit(reporting: error)
        }
    }

    /// Exits as `exit(withError:)` does, without characters in the message that control a terminal: it may
    /// have arguments of the command line.
    public static func exit(reporting error: any Error) -> Never {
        let status = exitCode(for: error)
        guard status != .success else { exit(withError: error) }
        let message = fullMessage(for: error)
        if !message.isEmpty {
            TextOutput.standardError.writeIgnoringErrors(SafeText.ofLines(message) + "\n")
        }
        Glibc.exit(status.rawValue)
    }
}
