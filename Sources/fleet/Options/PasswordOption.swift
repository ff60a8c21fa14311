import ArgumentParser
import FleetProtocol
import Glibc
import ProcessSupport

/// The source of a password: terminal, standard input or a file, because every process can read command
/// lines.
struct PasswordOption: ParsableArguments {
    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var readsStandardInput = false

    @Option(
        name: .customLong("password-file"),
        help: .value("file", "Read the password from the first line of a file, such as a mounted secret."))
    var file: String?

    func validate() throws {
        try require(
            file == nil || !readsStandardInput, "give only one of --password-stdin and --password-file")
    }

    func known(of email: Email, in surroundings: Surroundings) throws -> Password {
        if let given = try given(in: surroundings) { return try Self.checked(given) }
        return try Self.checked(Self.typed("password of \(email)", in: surroundings))
    }

    /// Reads a user's new password, which is typed twice at a terminal.
    func chosen(for email: Email, in surroundings: Surroundings) throws -> Password {
        if let given = try given(in: surroundings) { return try Self.longEnough(given) }
        return try Self.chosen(for: email, isPiped: false, in: surroundings)
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

    /// The password from standard input or the file; nil if it is to be typed.
    private func given(in surroundings: Surroundings) throws -> String? {
        if readsStandardInput { return try Self.piped(in: surroundings) }
        guard let file else { return nil }
        guard let line = try PrivateFile(path: file, isGiven: true).firstLine() else {
            throw RuntimeError.system(operation: "open", path: file, errno: ENOENT)
        }
        return line
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
