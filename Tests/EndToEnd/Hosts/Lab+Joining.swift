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

    /// The words of the command, after `fleet`, with which another machine joins this lab's fleet.
    ///
    /// - Parameter role: The words after `fleet join-command`.
    func invitation(_ role: [String]) async throws -> [String] {
        let invited = try await succeed(["join-command"] + role)
        let words = invited.output.split { $0 == " " || $0 == "\n" }.map(String.init)
        try #require(words.first == "fleet", "\(invited.output)")
        return Array(words.dropFirst())
    }

    /// Exchanges a token of another lab's fleet for the rights of a key, in this lab's run directory.
    ///
    /// - Parameters:
    ///   - role: The words after `fleet join-command`.
    ///   - address: Where this lab reaches the fleet; nil for the address in the command.
    ///   - options: More words for `fleet join`.
    @discardableResult
    func join(
        _ other: Lab, as role: [String], at address: String? = nil, _ options: [String] = []
    ) async throws -> Ended {
        let words = try await other.invitation(role)
        return try await succeed(words.map { $0.hasPrefix("tcp://") ? address ?? $0 : $0 } + options)
    }
}
