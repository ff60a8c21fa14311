import Foundation

/// How to run an example that needs more than the default fleet, chosen by the form of its line.
///
/// By default a line runs unchanged in the directory of the default fleet, and its exit status must be 0.
struct Treatment {
    /// Where a line runs.
    enum Place {
        /// In the directory of the default fleet.
        case fleet
        /// In an empty directory.
        case emptyDirectory
        /// In the directory of a fleet with sign-up, password reset and the scenario `mixed`.
        case openFleet
        /// In the directory of a controller without other processes.
        case controller
    }

    /// When a line runs.
    enum Phase: Int, CaseIterable {
        /// While the default fleet runs.
        case running
        /// As the line that ends the default fleet.
        case down
        /// After the default fleet has ended.
        case ended
    }

    /// When to interrupt a program that would run forever, or for too long.
    enum Interruption {
        /// When a line of its output contains these words.
        case prints(String)
        /// When a command exits with status 0.
        case holds(String)
    }

    /// The line to run.
    var line: String
    var place = Place.fleet
    var phase = Phase.running
    /// Lines to run before and after it; their statuses do not count.
    var before: [String] = []
    var after: [String] = []
    /// The allowed exit statuses.
    var statuses: Set<Int32> = [0]
    var interruption: Interruption?
    /// Whether the comment behind the line mentions Ctrl-C.
    private var isInterrupted = false
    /// The ID of a queue to start before the line.
    var commandQueue: String?
    /// Whether the fleet must be restored after the line.
    var disturbs = false

    /// The values of placeholders in examples.
    struct Names {
        /// The directory of the repository.
        let repository: String
        /// The directory of the test.
        let directory: String
        /// The URL of the default fleet's gateway, without the last slash.
        let gateway: String
    }

    /// The treatment of a line.
    init(_ line: String, _ names: Names, requestID: () -> String) {
        let remark = line.range(of: " #")?.lowerBound ?? line.endIndex
        self.line = Self.trimmed(line[..<remark])
        isInterrupted = line[remark...].contains("Ctrl-C")
        replacePlaceholders(names, requestID: requestID)
        treatPrograms(names)
        treatServers(names)
        treatFleets()
        treatNetwork()
        treatAccounts()
        treatRequests(requestID: requestID)
        treatMeasurements()
        treatCells()
    }

    private static func trimmed(_ line: Substring) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    // MARK: The table

    /// The request ID in the documentation's examples.
    private static let shownID = "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07"

    private mutating func replacePlaceholders(_ names: Names, requestID: () -> String) {
        for (word, value) in [
            ("EMAIL", "ann@example.com"), ("NAME", "script"), ("DIRECTORY", "outbox"), ("ROLE", "viewer"),
            ("/srv/", "\(names.directory)/srv/"), ("/tmp/copy", "copy"),
            ("http://127.0.0.1:8701", names.gateway),
            ("https://fleet.example.org --ca ca.pem", names.gateway),
        ] { line = line.replacing(word, with: value) }
        if line.hasPrefix("fleet outcome") {
            replaceID(by: "$(fleet toggle \"Kitchen 2\" --json | jq -r .requestID)")
        } else if line.hasPrefix("fleet queue"), !line.contains("--id") {
            // Each example uses an ID of its own.
            let id = requestID()
            if line.contains(Self.shownID) {
                commandQueue = id
                after.append("fleet queue cancel \(id)")
            }
            replaceID(by: id)
        } else {
            replaceID(by: requestID())
        }
    }

    private mutating func replaceID(by id: String) { line = line.replacing(Self.shownID, with: id) }

    private mutating func treatPrograms(_ names: Names) {
        if line.hasPrefix("make ") {
            line = line.replacing("make ", with: "make -n -s -C '\(names.repository)' ", maxReplacements: 1)
        }
        if line.hasPrefix("curl ") { line += " -fsS" }
        if line.hasPrefix("kill ") { disturbs = true }
        // The problems that it finds are those of the machine, not of the example.
        if line.hasPrefix("fleet doctor") { statuses = [0, 1] }
        if line.contains(">") || line.contains("--html") { before.append("mkdir -p srv") }
    }

    private mutating func treatServers(_ names: Names) {
        line = line.replacing(
            "--pods pods.json", with: "--pods \(names.repository)/Tests/EndToEnd/Clients/pods.json")
        for program in ["controller", "device-sim", "gateway", "observer"]
        where line.hasPrefix("fleet \(program) ") {
            line = String(line.dropFirst("fleet ".count))
        }
        line = line.replacing("--exit-with 1234", with: "--exit-with $$")
        if line.hasPrefix("fleet test-server") {
            (place, interruption) = (.emptyDirectory, .prints("127.0.0.1"))
            line = line.replacing("--port 8702", with: "--port 0")
        }
        for program in ["controller serve", "device-sim run", "gateway serve"] where line.hasPrefix(program) {
            line = line.replacing("--run-dir /tmp/lab", with: "").replacing("/tmp/lab/", with: "")
            interruption = .prints(program == "device-sim run" ? "running" : "serving")
        }
        if line.hasPrefix("controller serve") {
            place = .emptyDirectory
            // The machine may be unable to send mail.
            line = line.replacing("/usr/sbin/sendmail -t", with: "/bin/cat")
        }
        if line.hasPrefix("controller back-up") {
            line = line.replacing("--run-dir /tmp/lab", with: "")
            before.append("rm -rf copy && mkdir -m 700 copy")
        }
        if line.hasPrefix("device-sim run") { place = .controller }
        if line.hasPrefix("gateway serve") {
            line += " --port 0"
        }
        if line.contains("chain.pem") {
            before.append(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
                    + "-subj /CN=fleet.example.org -keyout key.pem -out chain.pem 2>&1 && chmod 600 key.pem")
        }
    }

    private mutating func treatFleets() {
        if line.hasPrefix("fleet up") {
            place = .emptyDirectory
            for count in ["1000", "10000"] {
                line = line.replacing("--devices \(count) ", with: "--devices 100 ")
                if line.hasSuffix("--devices \(count)") { line += " --devices 100" }
            }
            // The default fleet uses the default port.
            // A repeated option has its last value.
            line += line.contains("--detach") ? " --gateway-port 0" : " --gateway-port 0 --detach"
            after.append("fleet down")
        }
        if line.hasPrefix("fleet down"), !line.contains("--run-dir") { phase = .down }
        if line.hasPrefix("fleet restore") {
            phase = .ended
            before.append("mkdir -p srv/demo")
            if !line.contains("--replace"), !line.contains("--run-dir") { place = .emptyDirectory }
        }
        if line.hasPrefix("fleet reset") || line.hasPrefix("fleet prune") {
            phase = .ended
            // Without a confirmation nothing is removed.
            statuses = [0, 1]
            if line.contains("/demo") { before.append("mkdir -p -m 700 srv/demo/.sensibus") }
        }
        if line.hasPrefix("fleet reset --running") {
            // The server ends with this shell.
            line =
                "fleet test-server --json > server.json & timeout 10 sh -c 'until [ -s server.json ]; do sleep 0.1; done' "
                + "&& fleet reset --running --run-dir \"$(jq -r .runDir server.json)\""
            statuses = [0]
        }
        if line.hasPrefix("fleet backup") {
            before.append("mkdir -p srv/backups && rm -rf \(line.split(separator: " ")[2])")
        }
        for word in ["inject", "heal", "restart", "scenario", "scale"] where line.hasPrefix("fleet \(word)") {
            disturbs = true
        }
        if line.hasPrefix("fleet device add") {
            line = line.replacing(" --json", with: "") + " --json > added.json"
            after.append("fleet device remove $(jq -r .id added.json) --yes")
        }
        if line.hasPrefix("fleet device remove") { statuses = [0, 77] }
        if line.hasPrefix("fleet device rename") {
            let names = line.split(separator: "\"").filter { $0 != " " }
            after.append("fleet device rename \"\(names[2])\" \"\(names[1])\"")
        }
        // Devices that have lost their Wi-Fi reconnect late, unless their node is restarted.
        if line.hasPrefix("fleet scenario") { after.append("fleet scenario quiet && fleet restart node-1") }
        if line.hasPrefix("fleet logs"), line.contains("-f") { interruption = .prints("") }
        if line.contains("--watch") {
            interruption = .prints("")
            if line.contains("--filter offline") {
                before.append("fleet inject offline 'Bedroom 1' --for 60s")
                disturbs = true
            }
        }
    }

    /// Other machines: the open fleet listens on the network.
    private mutating func treatNetwork() {
        let words = line.split(separator: " ")
        guard
            line.hasPrefix("fleet key") || line.hasPrefix("fleet join-command") || line.contains("--key-file")
        else { return }
        place = .openFleet
        line = line.replacing("ssh host ", with: "sh -c ")
        if let file = words.last, file.hasSuffix(".json") {
            before.append("rm -f \(file)")
            guard words.contains("--key-file") else { return }
            before.append("fleet key generate node --name attic --output \(file)")
            after.append("fleet key revoke attic")
        }
        if line.contains("revoke") {
            before.append("rm -f n.json && fleet key generate node --name remote-1 --output n.json")
        }
        if line.contains("wallboard") { before.append("fleet key revoke wallboard") }
    }

    private mutating func treatAccounts() {
        let readsPassword = ["fleet login", "fleet signup", "fleet user add", "fleet user password"]
        if readsPassword.contains(where: line.hasPrefix), !line.contains("--password-stdin") {
            line += " --password-stdin < password.txt"
        }
        let words = line.split(separator: " ")
        let name = words.count > 3 ? words[3] : ""
        if line.contains("--as ann@example.com") {
            for words in ["user add ann@example.com", "login ann@example.com", "login demo@sensibus.local"] {
                before.append("fleet \(words) --password-stdin < password.txt")
            }
        }
        if line.hasPrefix("fleet user add") { before.append("fleet user remove \(name)") }
        for verb in ["remove", "password", "role"] where line.hasPrefix("fleet user \(verb)") {
            before.append("fleet user add \(name) --password-stdin < password.txt")
        }
        if line.contains("fleet apikey create") {
            let rest = line.split(separator: "create ", maxSplits: 1).last ?? ""
            before.append("fleet apikey revoke \(rest.prefix { $0.isLetter || $0 == "-" })")
        }
        if line.hasPrefix("fleet apikey revoke") { before.append("fleet apikey create \(name)") }
        if line.hasPrefix("fleet site add") {
            before.append("fleet site remove \(line.dropFirst(15).prefix { $0 != "-" })")
        }
        for word in ["signup", "password", "pure-boost"] where line.hasPrefix("fleet \(word)") {
            place = .openFleet
        }
        if line.hasPrefix("fleet pure-boost") {
            before.append("fleet login demo@sensibus.local --password-stdin < .sensibus/demo-password")
        }
        if line.hasPrefix("fleet password reset") {
            before.append("token_file")
            if !line.contains("--stdin") { line += " --stdin < code-and-password.txt" }
        }
    }

    private mutating func treatRequests(requestID: () -> String) {
        if line.contains("--expect-version") {
            let words = line.split(separator: " ")
            let version = line.split(separator: "--expect-version ").last?.prefix { $0.isNumber } ?? ""
            line = line.replacing(
                "--expect-version \(version)",
                with: "--expect-version $(fleet devices \(words[2]) --json | jq -r .version)")
        }
        if isInterrupted {
            let id = requestID()
            line = line.replacing("fleet toggle", with: "fleet toggle --request-id \(id)")
            interruption = .holds("fleet outcome \(id); [ $? = 75 ]")
            statuses = [1]
        }
        if line.hasPrefix("fleet queue"), line.contains("--demo") {
            let id = requestID()
            // It takes 55 s.
            line = line.replacing("--demo", with: "--id \(id) --demo")
            interruption = .holds("fleet queue show \(id)")
            statuses = [75]
            after.append("fleet queue cancel \(id)")
        }
        if line.hasPrefix("observer"), !line.hasPrefix("observer re") {
            if line.contains("--until") {
                before.append("fleet set \"Bedroom 7\" --on")
            } else {
                line += " --until 'device \"Bedroom 7\" online'"
            }
        }
        if line.hasPrefix("observer record") {
            let file = line.split(separator: " ").last ?? ""
            // Without this, a file of an earlier example would be used.
            before.append("rm -f \(file)")
            // More than the header: the snapshot of 100 devices.
            interruption = .holds("test $(stat -c %s \(file)) -gt 4096")
        }
    }
}
