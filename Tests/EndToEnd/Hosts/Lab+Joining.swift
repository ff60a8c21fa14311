import ProcessSupport
import Testing

extension Lab {
    /// Starts one of the product's programs in the background, without waiting until it serves.
    ///
    /// - Parameter log: The file for its output, in this lab's directory.
    func start(_ program: String, _ arguments: [String], log: String) async throws {
        let words = ["setsid \"$@\" </dev/null >>\"$0\" 2>&1 &", "\(directory)/\(log)"]
        let started = try await run("/bin/sh", ["-c"] + words + [executable(program)] + arguments)
        try #require(started.status == 0, "\(program): \(started.talk)")
    }

    /// Exchanges a token of another lab's fleet for the rights of a key, in this lab's run directory.
    ///
    /// - Parameters:
    ///   - role: The words after `fleet join-command`.
    ///   - address: Where this lab reaches the fleet.
    ///   - options: More words for `fleet join`.
    func join(_ other: Lab, as role: [String], at address: String, _ options: [String] = []) async throws {
        let invitation = try await other.fleet(["join-command"] + role)
        try #require(invitation.status == 0, "fleet join-command: \(invitation.talk)")
        let words = invitation.output.split { $0 == " " || $0 == "\n" }.map(String.init)
        try #require(words.first == "fleet", "\(invitation.output)")
        let command = words.dropFirst().map { $0.hasPrefix("tcp://") ? address : $0 }
        let joined = try await fleet(command + options)
        try #require(joined.status == 0, "fleet join: \(joined.talk)")
    }
}
