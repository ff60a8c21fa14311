import ArgumentParser
import FleetProtocol
import Testing

@testable import fleet

@Suite("Parsing of command lines")
struct CommandLineTests {
    @Test(
        "an invalid argument is a usage error that names the allowed values",
        arguments: [
            ("toggle", "DEVICE"), ("toggle a --timeout 0s", "30s"), ("toggle a --timeout -1s", "30s"),
            ("toggle a --timeout 31s", "30s"), ("toggle a --timeout 5", "30s"),
            ("toggle a --request-id 12", "version 7"),
            ("toggle a --request-id 0190a6e8-7c5b-4d2e-9a41-3f5b8c2d1e07", "version 7"),
            ("toggle a b --request-id 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07", "several devices"),
            ("toggle a --expect-version x", "expect-version"), ("set a", "--temperature"),
            ("set a --on --off", "give --on or --off, not both"), ("set a --mode warm", "cool"),
            ("set a --fan max", "quiet"),
            ("set a --temperature 1000", "whole degrees"), ("set a --temperature 22.5", "whole degrees"),
            ("cancel nonsense", "version 7"),
            ("outcome 0190a6e8", "version 7"), ("inject burn a", "offline"), ("inject hang", "SELECTOR"),
            ("inject hang a --for -1s", "24h"), ("inject hang a --for 25h", "24h"),
            ("inject flip a --for 5s", "takes effect once"),
            ("inject crash a --for 5s", "offline, hang, slow"),
            ("inject hang a --by 2s", "only slow"), ("inject slow a --by 31s", "30s"),
            ("inject slow a --by 0s", "above 0s"), ("inject", "--list"),
            ("inject cloud-slow --by 31s", "30s"), ("inject cloud-error --by 1s", "cloud-lag"),
            ("inject cloud-error --status 404", "503"), ("inject cloud-hang --status 502", "cloud-error"),
            ("inject cloud-hang --share 0", "0.001"), ("inject cloud-hang --share 10%", "0.1 for 10%"),
            ("inject cloud-limit a", "SELECTOR"),
            ("inject cloud-lag --times 2", "cloud-hang"), ("inject cloud-error --times 0", "1 or more"),
            ("inject cloud-failed --only reads", "cloud-slow"),
            ("inject hang a --share 1", "cloud faults"),
            ("inject cloud-bad-pod --nulled rom", "room"), ("inject cloud-hang --list", "leave"),
            ("inject cloud-bad-pod --nulled room --missing timer", "affects one key"),
            ("timer a --off --in 500ms", "at least 1s"),
            ("timer a --off --in 25h", "at least 1s and at most 24h"),
            ("label set a up:stairs", "1 to 32 of a-z"), ("label list --label é", "1 to 32 of a-z"),
            ("heal a --cloud", "SELECTOR"), ("scenario storm", "lively"), ("scale 0", "1000000"),
            ("scale 1000001", "1000000"), ("scale", "count"), ("scale ten", "ten"), ("scenario", "name|file"),
            ("scenario ./storm.yaml", "no such file"), ("up --devices 0", "1000000"),
            ("up --devices 1000001", "1000000"), ("up --nodes 65", "64"), ("up --nodes 0", "64"),
            ("up --devices 2 --nodes 3", "each node needs a device"), ("up --scenario storm", "lively"),
            ("up --scenario ./storm.yaml", "no such file"), ("up --retention 59s", "1m to"),
            ("up --retention-results 0", "1 to 4000000"),
            ("up --memory-limit 63M", "64M to 1024G"), ("up --memory-limit 2", "such as 512M"),
            ("up --memory-limit 9007199254740993G", "64M to 1024G"),
            ("up --host 0.0.0.0", "not a loopback address"), ("up --host [::1", "not a host"),
            ("up --tls-key k.pem", "--tls-certificate and --tls-key"),
            ("up --tls-name 127.0.0.1", "not a name of DNS"),
            ("up --tls-name localhost", "not a name of DNS"),
            ("up --tls-name *.sensibo.com", "not a name of DNS"), ("up --tls-name a-.b", "not a name of DNS"),
            ("up --tls-name a..b", "not a name of DNS"),
            ("up --tls-name a.b --no-gateway", "--no-gateway out"),
            ("up --tls-name a.b --tls-certificate a --tls-key b", "--tls-key out"),
            ("up --tls-name a.b --host 10.0.0.1", "omit --host"),
            ("up --public-name a:1", "not a host"), ("up --sensibo-limits --no-gateway", "--no-gateway out"),
            ("up --health-port 8701", "another port than --gateway-port"),
            ("supervise --scenario ofice-day", "mean office-day"),
            ("login nobody", "email"), ("restart", "name"), ("frobnicate", "frobnicate"),
        ] as [(String, String)])
    func usageErrors(line: String, hint: String) {
        let words = Fleet.usageError(of: line.split(separator: " ").map(String.init))
        #expect(words.lowercased().contains(hint.lowercased()), "\(words)")
    }

    @Test(
        "options that contradict each other, and invalid texts and numbers, are usage errors",
        arguments: [
            ["user", "add", "nobody"], ["user", "add", "a@b", "--role", "king"], ["user", "remove"],
            ["user", "password", "a@b", "c"], ["user", "role", "a@b", "king"], ["signup"],
            ["signup", "nobody"],
            ["login", "ann@example.com", "--password-stdin", "--password-file", "x"],
            ["password", "forgot"], ["password", "reset", "a@b"],
            ["up", "--outbox", "a", "--outbox-command", "/b"], ["up", "--outbox-command", "sendmail"],
            ["apikey", "create", ""], ["apikey", "create", ".x"], ["apikey", "create", "a b"],
            ["apikey", "create", "ä"], ["apikey", "create", "script", "--scope", "owner"],
            ["post", "show", "0"], ["post", "show", "x"], ["post", "show", "-1"], ["post", "show", "1.5"],
            ["post", "write", "Leak", "--device", "x", "--site", "y"],
            ["site", "set", "Mill"], ["site", "add", "x", "--coordinates", "91,0"],
            ["site", "add", "x", "--coordinates", "north"], ["site", "add", "x", "--country", "NOR"],
            ["site", "add", "x", "--time-zone", "Oslo time"], ["site", "add", "x", "--time-zone", "Oslo"],
            ["site", "assign", "Mill"], ["sites", "--page", "0"], ["sites", "--page-size", "101"],
            ["roster", "set"], ["roster", "import"], ["roster", "show", "--csv", "--json"],
            ["roster", "import", "x.csv", "--time-zone", "Oslo time"], ["queue"],
            ["queue", "pause", "nonsense"], ["wait", ""], ["wait", " "], ["wait", "device A onn"],
            ["devices", "--json", "-o", "csv"],
        ])
    func otherUsageErrors(line: [String]) { _ = Fleet.usageError(of: line) }

    @Test(
        "a misspelled subcommand is answered with the nearest one",
        arguments: [
            ("tuggle X", "fleet toggle"), ("site ad X", "fleet site add"), ("toggle tuggle", nil),
            ("frobnicate", nil), ("--help", nil), ("supervize", nil),
        ])
    func misspelled(line: String, meant: String?) {
        let advice = Fleet.advice(for: line.split(separator: " ").map(String.init))
        #expect(meant.map { advice?.hasSuffix("did you mean `\($0)`?") ?? false } ?? (advice == nil))
    }

    @Test(
        "valid command lines are parsed",
        arguments: [
            "up", "up --durability none", "up --retention 1m --retention-results 1",
            "up --devices 1 --nodes 1 --detach --json --restart-nodes --scenario lively --seed 7",
            "toggle a b c", "toggle a --timeout 30s --expect-version 4 --json", "toggle a --timeout 1ms",
            "toggle a --request-id 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07", "set a --off",
            "set a --on --mode cool --temperature 22 --fan auto", "inject flip all",
            "inject offline bed* --for 1.5s", "inject slow all --by 200ms --for 24h", "inject crash a",
            "inject reboot a b --for 5s", "heal", "heal --cloud", "inject --list --json",
            "inject cloud-error --times 1 --only writes --status 502", "inject cloud-lag a --by 1h",
            "inject cloud-slow all --share 0.1 --by 30s --for 24h", "inject cloud-bad-pod a --missing room",
            "heal a bed* --json",
            "scenario worst-day --json", "scale 1 --json", "logout --everywhere",
            "status --json", "down", "devices bed", "devices --json -o json",
        ])
    func allowed(line: String) throws {
        _ = try Fleet.parsed(line, as: (any FleetCommand).self)
    }

    @Test("without options a fleet has 100 devices on one node and the scenario quiet")
    func defaults() throws {
        let plan = FleetPlan(
            devices: 100, nodes: 1, seed: 1, scenario: "quiet", restartsNodes: nil,
            gateway: .init(port: .standard))
        #expect(try Fleet.parsed("up", as: UpCommand.self).fleet.plan == plan)
    }

    @Test(
        "the arguments of a detached start describe the same fleet",
        arguments: [
            "up --devices 7 --nodes 2 --seed 3 --scenario worst-day --run-dir x --restart-nodes --durability power",
            "up --retention 90s --retention-results 12345", "up", "up --gateway-port 8080", "up --no-gateway",
            "up --no-restart-nodes --scenario worst-day", "up --scenario worst-day",
            "up --allow-signup --outbox x --memory-limit 3G",
            "up --host ::1 --public-name fleet --public-name my_fleet --sensibo-limits --health-port 8702",
            "up --host 0.0.0.0 --tls-name Home.Sensibo.com",
            "up --host 0.0.0.0 --tls-certificate a.pem --tls-key b.pem --trusted-proxy 10.0.0.0/8",
        ])
    func detachedArguments(line: String) throws {
        let up = try Fleet.parsed(line, as: UpCommand.self)
        let again = try #require(
            try Fleet.parseAsRoot(try ["supervise"] + up.fleet.arguments) as? SuperviseCommand)
        #expect(try again.fleet.plan == up.fleet.plan)
        #expect(again.fleet.runDirectory == up.fleet.runDirectory)
    }

    @Test(
        "nodes are restarted if the scenario has crashes or --restart-nodes is given",
        arguments: [
            ("up", false), ("up --scenario worst-day", true), ("up --restart-nodes", true),
            ("up --scenario worst-day --no-restart-nodes", false),
        ])
    func restarts(line: String, areWanted: Bool) throws {
        let up = try Fleet.parsed(line, as: UpCommand.self)
        #expect(try up.fleet.plan.restartsNodes == areWanted)
    }

    @Test("a set changes only the given properties")
    func change() throws {
        let command = try Fleet.parsed("set a --off --temperature 19", as: SetCommand.self)
        #expect(command.change == ACStateChange(isOn: false, targetTemperature: 19))
    }

    @Test("every command's help has examples, and requesting help is not a failure")
    func help() {
        #expect(!Fleet.configuration.subcommands.isEmpty)
        for command in [Fleet.self as any ParsableCommand.Type] + Fleet.configuration.subcommands {
            let text = Fleet.helpMessage(for: command, columns: 110)
            #expect(text.contains("EXAMPLES"), "\(command)")
            #expect(text.contains("  fleet "), "\(command)")
        }
        #expect(throws: Never.self) { try Fleet.parseAsRoot([]) }
    }

    @Test("the examples in help texts are parsed")
    func examples() throws {
        for command in Fleet.configuration.subcommands {
            for example in examples(in: command.configuration.discussion) {
                #expect(throws: Never.self, "\(example)") { try Fleet.parseAsRoot(example) }
            }
        }
    }

    /// The words of each line that begins with `fleet`, up to a pipe or a redirection.
    ///
    /// Quoted text is one word.
    private func examples(in discussion: String) -> [[String]] {
        let lines = discussion.split(separator: "\n").map { $0.drop { $0 == " " } }
        return lines.filter { $0.hasPrefix("fleet ") }.map { line in
            let command = line.dropFirst("fleet ".count)
            let parts = command.split(
                omittingEmptySubsequences: false, whereSeparator: { "\"'".contains($0) })
            var words: [String] = []
            for (index, part) in parts.enumerated() {
                guard index % 2 == 0 else {
                    words.append(String(part))
                    continue
                }
                words += part.prefix { !"|<>".contains($0) }.split(separator: " ").map(String.init)
                if part.contains(where: { "|<>".contains($0) }) { break }
            }
            return words
        }
    }
}

@Suite("Password entry at a terminal")
struct PasswordEntryTests {
    private func typed(_ bytes: [UInt8]) -> PasswordEntry.Progress {
        var entry = PasswordEntry()
        for byte in bytes {
            let progress = entry.step(byte)
            if progress != .more { return progress }
        }
        return .more
    }

    @Test(
        "each key of a password prompt has its effect",
        arguments: [
            ("secret\n", .done("secret")), ("pässword\r", .done("pässword")), ("pä\u{7f}a\n", .done("pa")),
            ("\u{8}\u{7f}x\n", .done("x")), ("wrong\u{15}right\n", .done("right")), ("abc\u{3}", .givenUp),
            ("\u{4}", .givenUp), ("pipe\u{4}", .done("pipe")), ("\n", .done("")), ("more", .more),
        ] as [(String, PasswordEntry.Progress)])
    func keys(text: String, expected: PasswordEntry.Progress) {
        #expect(typed(Array(text.utf8)) == expected)
    }

    @Test("a password that is too long stays invalid and uses bounded memory")
    func tooLong() {
        let progress = typed(Array(repeating: UInt8(ascii: "x"), count: 100_000) + Array("\n".utf8))
        #expect(progress == .done(String(repeating: "x", count: Limits.passwordBytes + 1)))
        #expect(Password(String(repeating: "x", count: Limits.passwordBytes + 1)) == nil)
    }
}
