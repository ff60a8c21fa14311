import Glibc
import SystemPackage
import Testing

/// A bash with the fleet's programs in its `PATH`, in directories of a lab.
struct ExampleShell: Sendable {
    /// The lab.
    let lab: Lab

    /// A function for treatments: it writes a file with the token of a password reset.
    ///
    /// It uses a user of its own, because no second message is sent while the first is recent.
    private static let functions = """
        set -o pipefail
        token_file() {
          rm -f outbox/*.eml
          local email="user$(date +%s%N)@example.com"
          fleet signup "$email" --password-stdin < password.txt && fleet password forgot "$email" || return
          for try in $(seq 100); do
            token=$(cat outbox/*.eml | grep -oE '^[0-9a-f]{64}' | tail -1) && break
            fleet status
          done
          printf '%s\\n%s\\n' "$token" "$(cat password.txt)" > code-and-password.txt
        }

        """

    private func script(_ line: String, in directory: String) -> [String] {
        let place = "export PATH='\(lab.executables.string)':$PATH\ncd '\(directory)' || exit\n"
        return ["-c", place + Self.functions + line]
    }

    /// Runs lines, and waits for their end.
    func run(_ lines: String, in directory: String) async throws -> Lab.Ended {
        try await lab.run("/bin/bash", script(lines, in: directory))
    }

    /// Runs one program, and interrupts it like Ctrl-C once it works.
    ///
    /// - Parameter body: Runs before the interruption.
    func interrupt(
        _ line: String, _ interruption: Treatment.Interruption, in directory: String,
        after body: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Lab.Ended {
        let (output, begun) = (try LiveOutput(), Box<[String]>())
        let ended = try await lab.run(
            "/bin/bash", script("exec \(line) 2>&1", in: directory), output: output.writing
        ) { processID in
            switch interruption {
            case .prints(let words):
                for await line in output.lines {
                    begun.value = (begun.value ?? []) + [line]
                    if words.isEmpty || line.contains(words) { break }
                }
            case .holds(let command):
                try await lab.eventually("\(line) can be interrupted", within: .seconds(10)) {
                    try await run(command, in: directory).status == 0
                }
            }
            try await body()
            kill(processID, SIGINT)
        }
        let lines = await output.lines.reduce(into: begun.value ?? []) { $0.append($1) }
        return Lab.Ended(status: ended.status, output: lines.joined(separator: "\n"), talk: ended.talk)
    }
}
