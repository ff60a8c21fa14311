import ArgumentParser
import FleetProtocol

/// Where a password comes from: never from the command line, which every process of the machine can read.
struct PasswordOption: ParsableArguments {
    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var readsStandardInput = false

    /// The password that somebody has.
    ///
    /// - Throws: `CommandFailure` when none was given, or none that could be a password.
    func known(of email: Email, in surroundings: Surroundings) throws(CommandFailure) -> Password {
        try checked(
            readsStandardInput
                ? surroundings.readLine() : typed("password of \(email)", in: surroundings))
    }

    /// The password that somebody is to have; at a terminal it is typed twice.
    ///
    /// - Throws: `CommandFailure` when none was given, none that could be a password, or two that differ.
    func chosen(for email: Email, in surroundings: Surroundings) throws(CommandFailure) -> Password {
        if readsStandardInput { return try checked(surroundings.readLine()) }
        let password = try checked(typed("new password of \(email)", in: surroundings))
        guard try typed("once more", in: surroundings) == password.text else {
            throw CommandFailure(.usage, "the second was another: nothing was changed", advice: "try again")
        }
        return password
    }

    private func typed(_ prompt: String, in surroundings: Surroundings) throws(CommandFailure) -> String? {
        surroundings.say("\(prompt):")
        return try surroundings.readPassword()
    }

    private func checked(_ text: String?) throws(CommandFailure) -> Password {
        guard let text else { throw CommandFailure(.refused, "no password was given: nothing was done") }
        guard let password = Password(text) else {
            throw CommandFailure(.usage, "a password has 1 to \(Limits.passwordBytes) bytes")
        }
        return password
    }
}
