import ArgumentParser
import FleetProtocol

/// The source of a password: terminal or standard input, because every process can read command lines.
struct PasswordOption: ParsableArguments {
    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var readsStandardInput = false

    /// Reads a user's current password.
    ///
    /// - Throws: `CommandFailure` if no password was given, or one of an invalid length.
    func known(of email: Email, in surroundings: Surroundings) throws(CommandFailure) -> Password {
        try Self.checked(
            readsStandardInput
                ? Self.piped(in: surroundings) : Self.typed("password of \(email)", in: surroundings))
    }

    /// Reads a user's new password, which is typed twice at a terminal.
    ///
    /// - Throws: `CommandFailure` if no password was given, one of an invalid length, or two that differ.
    func chosen(for email: Email, in surroundings: Surroundings) throws(CommandFailure) -> Password {
        try Self.chosen(for: email, isPiped: readsStandardInput, in: surroundings)
    }

    /// Reads a new password from a pipe or a terminal; the prompt names the user unless `email` is nil.
    static func chosen(
        for email: Email?, isPiped: Bool, in surroundings: Surroundings
    ) throws(CommandFailure) -> Password {
        if isPiped { return try longEnough(piped(in: surroundings)) }
        let whose = email.map { " of \($0)" } ?? ""
        let password = try longEnough(typed("new password\(whose)", in: surroundings))
        guard try typed("repeat the password", in: surroundings) == password.text else {
            throw CommandFailure(.usage, "passwords do not match: nothing was changed", advice: "try again")
        }
        return password
    }

    private static func piped(in surroundings: Surroundings) throws(CommandFailure) -> String {
        guard let line = surroundings.terminal.readLine() else {
            throw CommandFailure(
                .usage, "no password on standard input: nothing was changed",
                advice: "pipe it in, or leave out --password-stdin to type it")
        }
        return line
    }

    private static func typed(
        _ prompt: String, in surroundings: Surroundings
    ) throws(CommandFailure) -> String? {
        try surroundings.terminal.readPassword { surroundings.notify("\(prompt):") }
    }

    private static func longEnough(_ text: String?) throws(CommandFailure) -> Password {
        let password = try checked(text)
        guard password.isLongEnough else {
            throw CommandFailure(
                .usage, "a new password has \(Limits.chosenPasswordBytes) to \(Limits.passwordBytes) bytes")
        }
        return password
    }

    private static func checked(_ text: String?) throws(CommandFailure) -> Password {
        guard let text else { throw CommandFailure(.refused, "no password was given: nothing was changed") }
        guard let password = Password(text) else {
            throw CommandFailure(.usage, "a password has 1 to \(Limits.passwordBytes) bytes")
        }
        return password
    }
}
