import Bus
import ControllerCore
import FleetProtocol

/// Joins the messages of one turn to each peer of a ROUTER into frames, if the peer gets batches.
struct PeerFrames {
    private var writers: [(peer: ConnectionID, frame: FrameWriter)] = []
    /// The index of each peer in ``writers``.
    private var places: [ConnectionID: Int] = [:]

    /// Adds an encoded message, and sends what is complete: a message that must be alone, or a full frame.
    mutating func add(
        _ message: [UInt8], to peer: ConnectionID, _ send: (ConnectionID, [UInt8]) throws -> Void
    ) rethrows {
        if peer.hasBatches {
            if let full = writers[place(of: peer)].frame.append(message) { try send(peer, full) }
        } else {
            // It must not overtake earlier messages to the same peer.
            if !places.isEmpty, let place = places[peer.withBatches] { try sendFrame(at: place, send) }
            try send(peer, message)
        }
    }

    /// Sends the remaining messages, to the peers in the order of their first.
    mutating func sendAll(_ send: (ConnectionID, [UInt8]) throws -> Void) rethrows {
        guard !writers.isEmpty else { return }
        for place in writers.indices { try sendFrame(at: place, send) }
        writers.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    private mutating func sendFrame(
        at place: Int, _ send: (ConnectionID, [UInt8]) throws -> Void
    ) rethrows {
        if let frame = writers[place].frame.finish() { try send(writers[place].peer, frame) }
    }

    private mutating func place(of peer: ConnectionID) -> Int {
        if let last = writers.last, last.peer == peer { return writers.count - 1 }
        if let place = places[peer] { return place }
        places[peer] = writers.count
        writers.append((peer, FrameWriter()))
        return writers.count - 1
    }
}

extension ConnectionID {
    /// A bit that no routing ID sets: the last byte of its words is its length, at most 15.
    fileprivate static let batchMark: UInt64 = 1 << 63

    /// The connection of a peer, and whether the peer gets batches.
    ///
    /// To the machine, a client's batches have another connection than its single requests. So each reply,
    /// also one that waits for the disk, returns with the mark of its request.
    init(_ peer: RoutingID, hasBatches: Bool = false) {
        self.init(high: peer.words.0, low: peer.words.1 | (hasBatches ? Self.batchMark : 0))
    }

    /// Whether the peer gets batches.
    fileprivate var hasBatches: Bool { low & Self.batchMark != 0 }

    /// The same connection with batches.
    fileprivate var withBatches: ConnectionID { ConnectionID(high: high, low: low | Self.batchMark) }
}

extension RoutingID {
    init(_ connection: ConnectionID) {
        self.init(words: (connection.high, connection.low & ~ConnectionID.batchMark))
    }
}
