import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
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
                    mend: "kill -CONT \(processID), or `fleet restart \(name)`")
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
            mend: "check `fleet logs gateway`, then run `fleet restart gateway`")
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
                mend: "kill -CONT \(processID), or `fleet restart controller`")
        }
        switch facts.answer {
        case .report(let report):
            return .ok("controller", "answers: \(report.online) of \(report.devices) devices online")
        case .noSession(let why):
            return .warning("controller", "was not asked: \(why)", mend: "log in with `fleet login EMAIL`")
        case .unauthenticated:
            return .warning(
                "controller", "answers, but does not accept your session",
                mend: "log in with `fleet login EMAIL`")
        case .silence(let why): return .problem("controller", why, mend: "check `fleet logs controller`")
        case nil:
            return .problem(
                "controller", "not running", mend: "run `fleet restart controller`, or `fleet up`")
        }
    }

    private static func nodes(_ facts: FleetFacts) -> [Finding] {
        let down = (facts.processes ?? []).filter { $0.state != .running && $0.name != "controller" }
        var findings = down.map { process in
            let end = process.lastEnd.isEmpty ? "" : ", \(process.lastEnd)"
            return Finding.warning(
                process.name, "is \(process.state.name)\(end)", mend: "run `fleet restart \(process.name)`")
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

    static func network(_ facts: NetworkFacts, at now: WallTime) -> [Finding] {
        [server(facts, at: now), client(facts)].compactMap { $0 }
    }

    private static func server(_ facts: NetworkFacts, at now: WallTime) -> Finding? {
        let peers = facts.peers?.peers.filter { !$0.isExpired(at: now) }
        guard let listening = facts.listening else {
            guard let peers, !peers.isEmpty else { return nil }
            return .warning(
                "network", "does not listen, and \(Count.of(peers.count, "other program")) cannot connect",
                mend: "if it should: `fleet down`, then `fleet up` with --listen as before")
        }
        guard let peers else {
            return .problem(
                "network", "the list of keys cannot be read",
                mend: "restore network/peers.json in the run directory from a backup")
        }
        let keys = peers.filter { $0.key != nil }.count
        let invited = peers.count - keys
        return .ok(
            "network",
            "listens at \(listening); \(Count.of(keys, "key")), \(Count.of(invited, "open invitation"))")
    }

    private static func client(_ facts: NetworkFacts) -> Finding? {
        if let objection = facts.objection {
            return .problem("network", "\(objection)", mend: "or join the fleet again")
        }
        guard let membership = facts.membership else { return nil }
        let (place, name) = (membership.address, membership.rights.name)
        switch facts.check {
        case .admitted:
            return .ok("network", "\(place) admits this machine as \(membership.rights.role.name) \(name)")
        case .denied:
            return .problem(
                "network", "\(place) does not admit the key of this machine",
                mend: "it was revoked: run `fleet join-command` there, and join again here")
        case .wrongPeer:
            return .problem(
                "network", "what answers at \(place) has another key, or is not a fleet",
                mend: "check the address; after a new installation of the fleet, join it again")
        case .noAnswer, nil:
            return .problem(
                "network", "nothing answers at \(place)",
                mend:
                    "check that the fleet runs, the network, and that five ports from \(place.port) on are open"
            )
        }
    }
}

struct NetworkFacts: Equatable, Sendable {
    /// Where the controller listens; nil if it does not.
    var listening: NetworkAddress?
    /// The peers with a key, and invited ones; nil if their list cannot be read.
    var peers: PeerList?
    /// What this machine knows of the fleet that it has joined; nil for a fleet of this machine.
    var membership: NetworkMembership?
    var check: ConnectionCheck?
    /// Why the file of the membership cannot be used; nil if it can, or if there is none.
    var objection: RuntimeError?
}

extension NetworkFacts {
    private static let timeout = Duration.seconds(3)

    static func read(from directory: RunDirectory) async -> NetworkFacts {
        var facts = NetworkFacts(listening: try? directory.networkAddress())
        facts.peers = peers(of: directory)
        do throws(RuntimeError) {
            let connection = try FleetConnection(directory)
            facts.membership = connection.membership
            facts.check = await check(connection)
        } catch {
            facts.objection = error
        }
        return facts
    }

    /// The peers of a fleet; nil if their list cannot be read, or if it never had any.
    private static func peers(of directory: RunDirectory) -> PeerList? {
        // To look makes no directory.
        guard access("\(directory)/network", F_OK) == 0 else { return nil }
        return try? PeerFiles(of: directory).peers()
    }

    /// Says that a fleet does not listen although there are keys of other machines.
    static func notify(from directory: RunDirectory, in surroundings: Surroundings) {
        guard (try? directory.networkAddress()) == nil,
            let peers = peers(of: directory)?.peers
        else { return }
        let keys = peers.count { $0.key != nil }
        guard keys > 0 else { return }
        surroundings.notify(
            "fleet: does not listen, and \(Count.of(keys, "key")) of other machines cannot connect; add --listen"
        )
    }

    /// Connects to the fleet of a membership as its role may; nil without one.
    static func check(_ connection: FleetConnection) async -> ConnectionCheck? {
        guard let role = connection.membership?.rights.role else { return nil }
        let socket = FleetSocket.onNetwork.first { $0.roles.contains(role) } ?? .clients
        guard let endpoint = try? connection.endpoint(socket) else { return nil }
        return try? await ConnectionCheck.run(at: endpoint, security: connection.security, timeout: timeout)
    }
}
