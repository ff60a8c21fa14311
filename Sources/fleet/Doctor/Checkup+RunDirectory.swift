import Bus
import ProcessSupport

/// Findings about the run directory: its owner, its permissions and its files.
extension Checkup {
    private static let secrets: Set<String> = ["session.json", "observer-session.json", "demo-password"]

    static func runDirectory(_ facts: FleetFacts) -> [Finding] {
        let mending = way(facts) + permissions(facts)
        let fine = Finding.ok("run directory", "only you can access \(facts.path)")
        return (mending.isEmpty ? [fine] : mending) + leftOvers(facts)
    }

    /// Whether another user can replace the directory, or has put a symbolic link in its place.
    ///
    /// Its own owner and mode are findings of ``permissions(_:)``.
    private static func way(_ facts: FleetFacts) -> [Finding] {
        switch facts.objection {
        case nil, .openToOthers?, .foreignDirectory?: []
        case let objection?:
            [
                .problem(
                    "run directory", "\(objection)",
                    mend: "choose another run directory: commands refuse one that another user can replace")
            ]
        }
    }

    private static func permissions(_ facts: FleetFacts) -> [Finding] {
        facts.files.flatMap { file in
            let path = file.name == "." ? facts.path : "\(facts.path)/\(file.name)"
            var findings: [Finding] = []
            if file.owner != facts.user {
                findings.append(
                    .problem(
                        "run directory", "\(path) belongs to user \(file.owner), and you are \(facts.user)",
                        mend: "as root: chown -R \(facts.user) \(facts.path)"))
            }
            if file.permissions & 0o077 != 0, file.name == "." || secrets.contains(file.name) {
                let wanted = file.name == "." ? "700" : "600"
                findings.append(
                    .problem(
                        "run directory",
                        "\(path) is accessible to other users (mode \(String(file.permissions, radix: 8)))",
                        mend: "chmod \(wanted) \(path)"))
            }
            return findings
        }
    }

    /// Socket files without a process that holds the lock.
    private static func leftOvers(_ facts: FleetFacts) -> [Finding] {
        let left = facts.sockets.filter { name in
            facts.holders[name == FleetSocket.supervisor.fileName ? "supervisor" : "controller"] == nil
        }
        guard !left.isEmpty else { return [.ok("sockets", "no leftover files")] }
        return [
            .warning(
                "sockets", "left by killed processes: \(left.joined(separator: ", "))",
                mend: "harmless: the next `fleet up` replaces them")
        ]
    }
}
