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
            try TextOutput.standardOutput.finish()
        } catch {
            exit(reporting: error)
        }
    }

    /// Parses the command line, runs the command, which may be asynchronous, and exits if it throws.
    public static func runAsMain() async {
        do {
            var command = try parseAsRoot()
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
            try TextOutput.standardOutput.finish()
        } catch {
            exit(reporting: error)
        }
    }

    /// Hardens the process on its main thread, before other threads start, and runs as ``runAsMain()`` does.
    @MainActor public static func runHardened() async {
        do {
            try Hardening.apply(environment: Environment.current)
            try Hardening.forbidNewPrivileges()
        } catch {
            exit(reporting: error)
        }
        await runAsMain()
    }

    /// Exits as `exit(withError:)` does, with a message that is safe on a terminal, and with a status of its
    /// own if standard output cannot be written. The message may have arguments of the command line. An open
    /// directory has its present path.
    public static func exit(reporting error: any Error) -> Never {
        if let failure = error as? TextOutput.Failure, failure.isUnread {
            Glibc.exit(TextOutput.Failure.unreadStatus)
        }
        let status =
            error is TextOutput.Failure ? ExitCode(TextOutput.Failure.exitStatus) : exitCode(for: error)
        let message = fullMessage(for: error)
        if status == .success {
            show(Program.worded(message))
        } else if !message.isEmpty {
            let text = SafeText.ofLines(OpenDirectories.named(in: message))
            TextOutput.standardError.writeIgnoringErrors(text + "\n")
        }
        Glibc.exit(status.rawValue)
    }

    /// Writes the help, the version or a completion to standard output, and exits if it cannot be written.
    private static func show(_ text: String) {
        guard !text.isEmpty else { return }
        do throws(TextOutput.Failure) {
            try TextOutput.standardOutput.writeLine(text)
            try TextOutput.standardOutput.finish()
        } catch {
            exit(reporting: error)
        }
    }
}
