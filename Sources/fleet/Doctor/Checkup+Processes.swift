import FleetProtocol
import UserText

extension Checkup {
    static func processes(_ facts: FleetFacts) -> [Finding] {
        guard facts.objection == nil else {
            return [
                .warning(
                    "processes", "not checked: another user may have created the run directory",
                    mend: "fix the run directory first")
            ]
        }
        guard facts.holders["supervisor"] != nil || facts.holders["controller"] != nil else {
            return [.ok("processes", "no fleet is running here; `fleet up` starts one")]
        }
        return [supervisor(facts), controller(facts)] + stopped(facts) + nodes(facts) + place(facts)
    }

    /// Processes that are stopped; supervisor and controller have findings of their own.
    private static func stopped(_ facts: FleetFacts) -> [Finding] {
        facts.stopped.sorted { $0.key < $1.key }.filter { !["supervisor", "controller"].contains($0.key) }
            .map { name, processID in
                .problem(
                    name, "process \(processID) is stopped (SIGSTOP)",
                    mend: "kill -CONT \(processID), or fleet restart \(name)")
            }
    }

    /// The port of the gateway: before a start another program may have it, and later the gateway may not
    /// listen.
    static func port(_ machine: MachineFacts, _ fleet: FleetFacts?) -> Finding? {
        guard let page = fleet?.place.page else {
            let isRunning = fleet?.holders["supervisor"] != nil
            guard !isRunning, machine.ports.has(FleetGateway.port) else { return nil }
            return .warning(
                "port", "another program listens on port \(FleetGateway.port)",
                mend: "`fleet up` uses the next free port, or that of --gateway-port")
        }
        guard let port = FleetGateway.port(of: page), !machine.ports.has(port) else { return nil }
        return .problem(
            "gateway", "does not listen on \(page)",
            mend: "check `fleet logs gateway`, then: fleet restart gateway")
    }

    private static func place(_ facts: FleetFacts) -> [Finding] {
        [
            facts.summary.map { .ok("fleet", "scenario \($0.scenario), up for \(TimeText.age($0.uptime))") },
            facts.place.page.map { .ok("page", $0) },
            facts.place.account.map { .ok("account", $0) },
        ].compactMap { $0 }
    }

    private static func supervisor(_ facts: FleetFacts) -> Finding {
        if facts.processes != nil { return .ok("supervisor", "answers") }
        if let processID = facts.stopped["supervisor"] {
            return .problem(
                "supervisor", "process \(processID) is stopped (SIGSTOP)", mend: "kill -CONT \(processID)")
        }
        guard let holder = facts.holders["supervisor"] else {
            return .warning(
                "supervisor", "not running: no process restarts the controller when it dies",
                mend: "start the fleet with `fleet up`")
        }
        return .problem(
            "supervisor", "process \(holder) does not answer",
            mend: "check `fleet logs supervisor`; if it hangs, kill \(holder) and start the fleet again")
    }

    private static func controller(_ facts: FleetFacts) -> Finding {
        if let processID = facts.stopped["controller"] {
            return .problem(
                "controller", "process \(processID) is stopped (SIGSTOP)",
                mend: "kill -CONT \(processID), or fleet restart controller")
        }
        switch facts.answer {
        case .report(let report):
            return .ok("controller", "answers: \(report.online) of \(report.devices) devices online")
        case .noSession(let why):
            return .warning("controller", "was not asked: \(why)", mend: "fleet login EMAIL")
        case .unauthenticated:
            return .warning(
                "controller", "answers, but does not accept your session", mend: "fleet login EMAIL")
        case .silence(let why): return .problem("controller", why, mend: "check `fleet logs controller`")
        case nil:
            return .problem(
                "controller", "not running", mend: "fleet restart controller, or fleet up")
        }
    }

    private static func nodes(_ facts: FleetFacts) -> [Finding] {
        let down = (facts.processes ?? []).filter { $0.state != .running && $0.name != "controller" }
        var findings = down.map { process in
            let end = process.lastEnd.isEmpty ? "" : ", \(process.lastEnd)"
            return Finding.warning(
                process.name, "is \(process.state.name)\(end)", mend: "fleet restart \(process.name)")
        }
        if case .report(let report)? = facts.answer {
            findings += report.conflicts.map {
                .problem(
                    $0.node.text, $0.text,
                    mend: "stop one of them; give each machine a node and a key of its own")
            }
        }
        if case .report(let report)? = facts.answer, report.stale + report.unknown > 0 {
            findings.append(
                .warning(
                    "nodes", "\(report.stale + report.unknown) devices are on nodes that do not respond",
                    mend: "check again in a moment, then look at `fleet logs`"))
        }
        if findings.isEmpty, facts.processes != nil {
            findings.append(.ok("nodes", "\(facts.nodes.count) of \(facts.nodes.count) running"))
        }
        return findings
    }
}
