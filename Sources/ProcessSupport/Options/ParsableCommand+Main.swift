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

    /// Exits as `exit(withError:)` does, with a message that is safe on a terminal.
    ///
    /// The message may have arguments of the command line. An open directory has its present path.
    public static func exit(reporting error: any Error) -> Never {
        let status = exitCode(for: error)
        guard status != .success else { exit(withError: error) }
        let message = fullMessage(for: error)
        if !message.isEmpty {
            let text = SafeText.ofLines(OpenDirectories.named(in: message))
            TextOutput.standardError.writeIgnoringErrors(text + "\n")
        }
        Glibc.exit(status.rawValue)
    }
}
