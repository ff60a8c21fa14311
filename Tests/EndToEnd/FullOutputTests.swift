import Testing

extension EndToEnd {
    @Suite("Standard output that cannot be written", .timeLimit(.minutes(1)))
    struct FullOutputTests {
        private static let toFullDisk = #"exec "$0" "$@" >/dev/full"#
        private static let toNoReader = #"{ exec 3>&1; { "$0" "$@"; echo $? >&3; } | true; } 3>&1"#

        @Test(
            "each program ends with 74 and one line on a full disk, and silently with 141 without a reader",
            arguments: ["fleet", "controller", "device-sim", "gateway", "observer", "http-load"])
        func help(program: String) async throws {
            try await Lab.withLab { lab in
                for option in ["--help", "--version", "--generate-completion-script=bash"] {
                    let words = [lab.executable(program), option]
                    let full = try await lab.run("/bin/sh", ["-c", Self.toFullDisk] + words)
                    #expect(full.status == 74, "\(option)")
                    let text = "cannot write to standard output: No space left on device"
                    #expect(full.talk == "Error: \(text); free space on that disk\n", "\(option)")
                    let pipe = try await lab.run("/bin/sh", ["-c", Self.toNoReader] + words)
                    #expect(pipe.output == "141\n" && pipe.talk == "", "\(option): \(pipe.talk)")
                }
            }
        }

        @Test(
            "results that cannot be written end a command with 74, and a key that was not printed is not valid"
        )
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
                    let ended = try await lab.run("/bin/sh", ["-c", Self.toFullDisk] + program)
                    #expect(ended.status == 74, "\(words)")
                    #expect(ended.talk.contains("cannot write to standard output"), "\(words): \(ended.talk)")
                }
                #expect(try await lab.fleet("apikey", "list").output == "")
                #expect(try await lab.fleet("down", "--run-dir", "other").talk.contains("fleet: stopped"))
                #expect(try await lab.devices().contains(where: \.on), "the toggles were applied")
            }
        }
    }
}
