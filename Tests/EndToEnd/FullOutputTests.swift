import Testing

extension EndToEnd {
    @Suite("Standard output that cannot be written")
    struct FullOutputTests {
        private static let names = [
            "fleet", "controller", "device-sim", "gateway", "observer", "http-load",
        ]

        /// The results of a program with `/dev/full` as its output, and with a pipe without a reader.
        private static func run(
            _ words: [String], in lab: Lab
        ) async throws -> (full: Lab.Ended, pipe: Lab.Ended) {
            let full = #"exec "$0" "$@" >/dev/full"#
            let pipe = #"{ exec 3>&1; { "$0" "$@"; echo $? >&3; } | true; } 3>&1"#
            return (
                try await lab.run("/bin/sh", ["-c", full] + words),
                try await lab.run("/bin/sh", ["-c", pipe] + words)
            )
        }

        @Test(
            "each program ends with 74 and one line on a full disk, and silently with 141 without a reader",
            .timeLimit(.minutes(1)), arguments: names)
        func help(program: String) async throws {
            try await Lab.withLab { lab in
                for option in ["--help", "--version", "--generate-completion-script=bash"] {
                    let words = [lab.executable(program), option]
                    let (full, pipe) = try await Self.run(words, in: lab)
                    #expect(full.status == 74, "\(option)")
                    #expect(
                        full.talk == "Error: cannot write to standard output: No space left on device; "
                            + "free space on that disk\n", "\(option)")
                    #expect(pipe.output == "141\n", "\(option)")
                    #expect(pipe.talk == "", "\(option)")
                }
            }
        }

        @Test(
            "results that cannot be written end a command with 74, and a key that was not printed is not valid",
            .timeLimit(.minutes(1)))
        func commands() async throws {
            try await Lab.withFleet { lab in
                for words in [
                    ["fleet", "devices", "-o", "csv"], ["fleet", "toggle", "all", "--json"],
                    ["fleet", "logs"],
                    ["fleet", "apikey", "create", "lost"], ["fleet", "up", "--detach", "--run-dir", "other"],
                    ["observer", "--json", "--snapshot", "--until", "online"],
                    ["device-sim", "explain", "--scenario", "lively"],
                ] {
                    let program = [lab.executable(words[0])] + words.dropFirst()
                    let ended = try await lab.run("/bin/sh", ["-c", #"exec "$0" "$@" >/dev/full"#] + program)
                    #expect(ended.status == 74, "\(words)")
                    #expect(ended.talk.contains("cannot write to standard output"), "\(words): \(ended.talk)")
                }
                let keys = try await lab.fleet("apikey", "list")
                #expect(keys.output == "")
                #expect(try await lab.fleet("down", "--run-dir", "other").talk.contains("fleet: stopped"))
                let changed = try await lab.devices().filter(\.on)
                #expect(!changed.isEmpty, "the toggles were applied")
            }
        }
    }
}
