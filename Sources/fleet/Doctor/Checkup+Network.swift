import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import UserText

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

extension Checkup {
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
