import ControllerCore
import FleetProtocol
import FleetReplica

/// The network: it loses, duplicates, delays and so reorders packets, and its links can be cut or clogged.
struct Network {
    /// The number of the first connection.
    private static let firstConnection = 101

    private var faults: NetworkFaults
    private var packets = SlotMap<Packet>()
    private var nodeLinks: [Link] = []
    private var clientLinks: [Link] = []
    private var observerLinks: [Link] = []
    /// The party of each connection in the order of their numbers, also of those that are closed; nil for a
    /// connection that was never used.
    private var parties: [Party?] = []
    /// The packets that were lost, duplicated or delayed for long.
    private(set) var faultCount = 0

    init(faults: NetworkFaults) { self.faults = faults }

    var faultInterval: Duration { faults.faultInterval }

    /// Adds the link of a new party; the links of one kind are added in the order of their indices.
    mutating func addLink(of party: Party) {
        switch party {
        case .node: nodeLinks.append(Link())
        case .client: clientLinks.append(Link())
        case .observer, .stream: observerLinks.append(Link())
        }
    }

    // MARK: Connections

    /// Returns the ID of a connection that no party uses.
    mutating func newConnection() -> ConnectionID { connect(nil) }

    /// Returns the ID of a new connection of a party; nil for a connection that no party will use.
    mutating func connect(_ party: Party?) -> ConnectionID {
        parties.append(party)
        return ConnectionID(high: 2, low: UInt64(Self.firstConnection + parties.count - 1))
    }

    /// The party of a connection, which may be closed; nil for one that no party uses.
    func party(of connection: ConnectionID) -> Party? {
        parties[Int(connection.low) - Self.firstConnection]
    }

    // MARK: Packets

    /// Sends a packet: schedules the arrival of each copy.
    mutating func send(
        _ packet: consuming Packet, at now: MonotonicTime, using random: inout SeededGenerator,
        into events: inout EventQueue<World.Event>, _ findings: inout Findings
    ) {
        guard let (party, way) = route(of: packet), !isCut(way, of: party, at: now, &findings) else { return }
        if case .telemetry = packet, Double.random(in: 0..<1, using: &random) < faults.telemetryLost {
            faultCount += 1
            return
        }
        let copies = faults.copies(using: &random)
        if copies != 1 { faultCount += 1 }
        for _ in 0..<copies {
            let isLate = faults.isLate(using: &random)
            if isLate { faultCount += 1 }
            let delay = faults.delay(isLate: isLate, using: &random)
            let arrival = arrival(way, of: party, at: now, after: delay, &findings)
            events.schedule(.arrival(slot: packets.insert(copy packet)), at: arrival)
        }
    }

    /// Holds a packet that its receiver does not read yet, or that needs no link.
    mutating func hold(
        _ packet: consuming Packet, until end: MonotonicTime, into events: inout EventQueue<World.Event>
    ) {
        events.schedule(.arrival(slot: packets.insert(packet)), at: end)
    }

    mutating func receive(_ slot: Int) -> Packet { packets.remove(at: slot) }

    /// The link and the direction of a packet; nil for an unknown connection.
    private func route(of packet: borrowing Packet) -> (Party, Link.Way)? {
        switch packet {
        case .fromNode(let index, _, _, _), .telemetry(let index, _, _): (.node(index), .toController)
        case .toNode(let index, _, _): (.node(index), .fromController)
        case .request(_, let connection, _, _): party(of: connection).map { ($0, .toController) }
        case .chunk(let index, _, _), .update(let index, _, _): (.observer(index), .fromController)
        }
    }

    // MARK: Links

    /// Whether a direction of a link loses everything now.
    func isCut(_ way: Link.Way, of party: Party, at now: MonotonicTime, _ findings: inout Findings) -> Bool {
        let link = link(of: party)
        guard link[way].cutUntil > now else { return false }
        let isWhole = link.isCut(at: now)
        switch party {
        case .node: findings.seen.insert(isWhole ? "node cut off" : "node half cut off")
        // A client does not wait for replies, so the direction to it makes no difference.
        case .client: findings.seen.insert("client cut off")
        case .observer, .stream: findings.seen.insert(isWhole ? "observer cut off" : "observer half cut off")
        }
        return true
    }

    /// The arrival time of what is sent now with a delay in microseconds: later if the link is clogged.
    func arrival(
        _ way: Link.Way, of party: Party, at now: MonotonicTime, after delay: Int64,
        _ findings: inout Findings
    ) -> MonotonicTime {
        let arrival = MonotonicTime(nanoseconds: now.nanoseconds + 1_000 * delay)
        let end = link(of: party)[way].cloggedUntil
        guard end > now else { return arrival }
        switch party {
        case .node: findings.seen.insert("node clogged")
        case .client: findings.seen.insert("client clogged")
        case .observer, .stream: findings.seen.insert("observer clogged")
        }
        return max(arrival, end)
    }

    mutating func cut(_ way: Link.Way, of party: Party, until end: MonotonicTime) {
        changeLink(of: party) { $0[way].cutUntil = end }
    }

    mutating func clog(_ party: Party, until end: MonotonicTime) {
        changeLink(of: party) { ($0.toController.cloggedUntil, $0.fromController.cloggedUntil) = (end, end) }
    }

    /// Ends all faults: later packets arrive at once, and held packets at their scheduled time.
    mutating func heal() {
        faults = .none
        for party in allParties { changeLink(of: party) { $0 = Link() } }
    }

    private var allParties: [Party] {
        nodeLinks.indices.map { .node($0) } + clientLinks.indices.map { .client($0) }
            + observerLinks.indices.map { .observer($0) }
    }

    private mutating func changeLink(of party: Party, _ change: (inout Link) -> Void) {
        switch party {
        case .node(let index): change(&nodeLinks[index])
        case .client(let index): change(&clientLinks[index])
        case .observer(let index), .stream(let index): change(&observerLinks[index])
        }
    }

    private func link(of party: Party) -> Link {
        switch party {
        case .node(let index): nodeLinks[index]
        case .client(let index): clientLinks[index]
        case .observer(let index), .stream(let index): observerLinks[index]
        }
    }
}

// MARK: Partitions

extension Network {
    /// A cut of one direction of a party's link, or of both.
    struct Cut: CustomStringConvertible {
        let party: Party
        /// 0: to the controller, 1: from it, 2 and 3: both.
        let ways: Int
        let end: MonotonicTime

        var description: String {
            "\(party) is cut off (\(["to", "from", "both", "both"][ways])) until \(end.nanoseconds) ns"
        }
    }

    /// Cuts off a random party, or clogs several; returns a cut.
    mutating func causePartition(
        at now: MonotonicTime, using random: inout SeededGenerator, into events: inout EventQueue<World.Event>
    ) -> Cut? {
        if Int.random(in: 0..<3, using: &random) == 0 {
            clogParties(at: now, using: &random, into: &events)
            return nil
        }
        return cutOffParty(at: now, using: &random)
    }

    /// Cuts one direction or both, for less than a lease or for longer.
    private mutating func cutOffParty(at now: MonotonicTime, using random: inout SeededGenerator) -> Cut? {
        guard let party = allParties.randomElement(using: &random) else { return nil }
        let end = now.advanced(by: .milliseconds(Int.random(in: 100...3_500, using: &random)))
        let ways = Int.random(in: 0..<4, using: &random)
        if ways != 1 { cut(.toController, of: party, until: end) }
        if ways != 0 { cut(.fromController, of: party, until: end) }
        return Cut(party: party, ways: ways, end: end)
    }

    /// Clogs some parties one after another, and frees them in another order. FoundationDB calls this
    /// swizzled clogging: it finds errors that no sequence of single faults shows. The last party is free two
    /// seconds later.
    private func clogParties(
        at now: MonotonicTime, using random: inout SeededGenerator, into events: inout EventQueue<World.Event>
    ) {
        for party in allParties where Bool.random(using: &random) {
            let begin = Int.random(in: 0...500, using: &random)
            let end = begin + Int.random(in: 50...1_500, using: &random)
            events.schedule(
                .clog(party, until: now.advanced(by: .milliseconds(end))),
                at: now.advanced(by: .milliseconds(begin)))
        }
    }
}

indirect enum Packet {
    case fromNode(Int, controller: Int, ConnectionID, NodeMessage)
    case telemetry(Int, controller: Int, Telemetry)
    case toNode(Int, ConnectionID, ControllerMessage)
    /// From the connection of a client or an observer; the digest is that of its token.
    case request(controller: Int, ConnectionID, TokenDigest?, ClientRequest)
    /// To an observer, in reply to a pull.
    case chunk(Int, SnapshotChunk, Replica.Pull)
    case update(Int, controller: Int, StreamUpdate)
}

/// The link between a party and the controller: each direction can be cut or clogged independently.
struct Link {
    struct Direction {
        /// Packets that are sent before this time are lost.
        var cutUntil = MonotonicTime.zero
        /// Packets that are sent before this time are held, and arrive at this time in their order.
        var cloggedUntil = MonotonicTime.zero
    }

    enum Way {
        case toController
        case fromController
    }

    var toController = Direction()
    var fromController = Direction()

    subscript(way: Way) -> Direction {
        get {
            switch way {
            case .toController: toController
            case .fromController: fromController
            }
        }
        set {
            switch way {
            case .toController: toController = newValue
            case .fromController: fromController = newValue
            }
        }
    }

    func isCut(at now: MonotonicTime) -> Bool {
        toController.cutUntil > now && fromController.cutUntil > now
    }
}

/// A process with a link to the controller, by its index among its kind.
enum Party: Hashable {
    case node(Int)
    case client(Int)
    case observer(Int)
    /// The subscription of an observer, which shares the observer's link.
    case stream(Int)
}
