import Testing

extension EndToEnd {
    /// A part of `Tests/Install/run`, which tests three shells, in the shell that every machine has.
    @Suite("Shell completions", .timeLimit(.minutes(1)))
    struct CompletionTests {
        @Test(
            "bash accepts each program's completion script, which completes the program's name",
            arguments: ["fleet", "controller", "device-sim", "observer"])
        func bash(program: String) async throws {
            try await Lab.withLab { lab in
                let script = try await lab.run(program, ["--generate-completion-script", "bash"])
                #expect(script.status == 0)
                let text = "\nset -e; complete -p \(program); declare -F _\(program)"
                let shell = try await lab.run("/bin/bash", ["-s"], input: script.output + text)
                #expect(shell.status == 0)
                #expect(shell.talk == "")
                #expect(shell.output.hasSuffix("-F _\(program) \(program)\n_\(program)\n"))
            }
        }

        @Test(
            "the observer's completions offer files and directories for path arguments",
            arguments: [
                ("record mon", "monday.rec"), ("replay mon", "monday.rec"),
                ("watch --session mon", "monday.rec"), ("watch --run-dir fle", "fleets"),
            ])
        func files(text: String, found: String) async throws {
            try await Lab.withLab { lab in
                let script = try await lab.run("observer", ["--generate-completion-script", "bash"])
                let completing = """

                    touch monday.rec; mkdir fleets
                    COMP_LINE='observer \(text)'; COMP_WORDS=($COMP_LINE); COMP_POINT=${#COMP_LINE}
                    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
                    compopt() { :; }
                    _observer observer "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                    echo "found ${COMPREPLY[@]}"
                    """
                let shell = try await lab.run("/bin/bash", ["-s"], input: script.output + completing)
                #expect(shell.output.hasSuffix("found \(found)\n"), "\(shell.talk)")
            }
        }
    }
}
