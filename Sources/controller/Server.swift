import Bus
import ControllerCore
import ControllerSupport
import FleetProtocol
import Logging
import ProcessSupport

/// The controller's sockets around its state machine: receive, decode, step, commit, send, on one thread.
final class Server {
    /// The messages that the log counts instead of repeating: refused messages, replies that clients did not
    /// read, and connections that were refused or closed because of the connection limit or a flood.
    enum Refused: String {
        case frames, client, node, telemetry, subscription, unread, crowd, flood, peer
    }

    /// The maximum time for one socket in one turn, plus one frame, so that no socket starves another. A
    /// toggle takes at least two turns: its request, and the answer of its node. Its latency includes the
    /// other work of these turns: a flood on all four sockets makes each turn last four times this.
    private static let timePerTurn = Duration.milliseconds(2)
    /// The bytes of messages that share a reading of the clock: those of one batch, or of about 16 requests,
    /// which together take less than half a millisecond.
    private static let bytesPerReading = 2_048
    /// The bytes that a shorter message counts for.
    private static let bytesOfMessage = 128
    var controller: Controller
    let store: Store
    let directory: RunDirectory
    private var writer: StorageWriter<SegmentFiles>
    let hasher: PasswordHasher
    /// The outbox for messages to users; nil without one.
    private let outbox: Outbox?
    let gate: NodeGate
    let reader: SegmentReader
    let loop: Loop
    let clock: SystemClock
    let logger: Logger
    let sockets: ControllerSockets
    var stream: StreamSocket
    /// The sockets on the network; nil without `--listen`.
    let network: NetworkServer?
    /// The connections to other cells; nil for a fleet without cells.
    let cells: CellLinks?
    private var frames = Frames()
    var effects = Controller.Effects()
    private var replies = PeerFrames()
    private var messages = PeerFrames()
    var digester = TokenDigester()
    /// Whether the last turn of each stream socket left nothing unread.
    var isStreamDrained = (local: true, network: true)
    var refused = RefusedMessages<Refused>()
    /// The number of messages with too many frames that the log has counted.
    var oversizeCounted: UInt64 = 0
    var lostConnections = LostConnections()
    /// The limit on log lines about nodes, which can connect and disconnect at any rate.
    private var nodeLines = LineBudget(linesPerSecond: 50)
    private var lastTurn: Duration = .zero
    private var turnBegan: MonotonicTime?
    private var ownerCheck = OwnerCheck()
    /// Results of work for moves of accounts.
    var moveResults: [CellInput] = []
    /// The error that ended the loop, unless it was asked to end.
    private var failure: (any Error)?

    init(
        controller: Controller, journal: consuming Journal<SegmentFiles>?, store: Store,
        hasher: PasswordHasher, outbox: Outbox?, gate: NodeGate, reader: SegmentReader,
        sockets: ControllerSockets, network: NetworkServer?, cells: CellLinks?, directory: RunDirectory,
        loop: Loop, clock: SystemClock, logger: Logger
    ) throws {
        self.directory = directory
        (self.controller, self.store) = (controller, store)
        writer = StorageWriter(journal, store: store.append)
        self.hasher = hasher
        (self.outbox, self.gate) = (outbox, gate)
        (self.reader, self.loop, self.clock, self.logger) = (reader, loop, clock, logger)
        (self.sockets, self.network, self.cells) = (sockets, network, cells)
        stream = StreamSocket(sockets.stream)
    }

    /// Registers the sockets on the loop, and begins to listen on the network.
    func serve(watching parent: ParentWatch) throws {
        register(sockets)
        try network?.begin(on: loop) { [self] in
            registerNetwork()
        } failed: { [self] error in
            stop(because: error)
        } lost: { [self] bootID in
            controller.lose(bootID, at: clock.now(), into: &effects)
        }
        try beginCells()
        loop.onTurn { [self] instant in
            if parent.isOrphaned { loop.stop() }
            guard isOwner(at: clock.now()) else { return nil }
            handleHasher()
            handleReader()
            handleMoveResults()
            let now = clock.now()
            step(.turn(lastTook: lastTurn), at: now)
            carryOut()
            countLostConnections(at: now.monotonic)
            logRefused(at: now.monotonic)
            logHistoryLosses()
            logConflicts()
            let end = clock.now().monotonic
            lastTurn = (turnBegan ?? now.monotonic).duration(to: end)
            turnBegan = nil
            let due = min(controller.nextDue, writer.retryAt ?? .never)
            return instant.advanced(by: end.duration(to: due))
        }
    }

    private func register(_ sockets: ControllerSockets) {
        loop.register(sockets.clients) { [self] in drain(sockets.clients) { handleClient($0, at: $1) } }
        loop.register(sockets.devices) { [self] in drain(sockets.devices) { handleNode($0, at: $1) } }
        loop.register(sockets.telemetry) { [self] in drain(sockets.telemetry) { handleTelemetry($0, at: $1) }
        }
        loop.register(sockets.stream) { [self] in
            isStreamDrained.local = drain(sockets.stream) { handleSubscriber($0, of: &stream, at: $1) }
            settleStreams()
        }
    }

    /// Closes the sockets once the loop has ended; throws the error that ended it, unless it was asked to
    /// end.
    func end() throws {
        for socket in sockets.all { socket.close() }
        network?.close()
        cells?.close()
        hasher.finish()
        outbox?.finish()
        reader.finish()
        writer.finish()
        if let failure { throw failure }
        try store.close()
    }

    /// Handles messages of a socket until the socket is empty or its time in this turn is over. Returns
    /// whether the socket is empty.
    @discardableResult
    func drain(_ socket: Socket, _ received: (borrowing Frames, Moment) -> Void) -> Bool {
        do {
            var now = clock.now()
            let end = now.monotonic.advanced(by: Self.timePerTurn)
            guard isOwner(at: now) else { return false }
            repeat {
                var bytes = 0
                while bytes < Self.bytesPerReading {
                    guard try socket.receive(into: &frames) else { return true }
                    received(frames, now)
                    bytes += max(Self.bytesOfMessage, frames.byteCount(at: frames.count - 1))
                }
                now = clock.now()
            } while now.monotonic < end
        } catch {
            stop(because: error)
        }
        return false
    }

    /// Whether the run directory and the journal are still this controller's; if not, it stops and answers
    /// nothing more.
    private func isOwner(at now: Moment) -> Bool {
        guard ownerCheck.isDue(at: now) else { return failure == nil }
        do {
            try directory.confirm()
            try writer.confirm()
        } catch {
            stop(because: error)
        }
        return failure == nil
    }

    func beginTurn(at now: Moment) {
        if turnBegan == nil { turnBegan = now.monotonic }
    }

    func step(_ input: Controller.Input, at now: Moment) {
        beginTurn(at: now)
        controller.step(input, at: now, into: &effects)
    }

    /// Commits the effects that need it, then sends those that depended on the commit, and all others.
    private func carryOut() {
        defer { effects.removeAll() }
        do {
            if let fencing = effects.fencing {
                try store.raiseEpoch(to: fencing)
                throw StorageError.fenced(by: fencing)
            }
            let began = clock.now()
            let event = try writer.write(&effects, open: { controller.openEntries }, at: began)
            if effects.hasStoredRequests {
                let end = clock.now()
                let took = began.monotonic.duration(to: end.monotonic)
                step(.stored(took: took, segment: writer.segment), at: end)
            }
            switch event {
            case nil: break
            case .full(let error)?:
                logger.error(
                    "journal write failed: no space left on device", metadata: ["reason": "\(error)"])
                step(.storage(isFull: true), at: clock.now())
            case .room(let waited)?:
                logger.notice("journal write succeeded again", metadata: ["waited": "\(waited)"])
                step(.storage(isFull: false), at: clock.now())
            }
            // The commit may have taken long.
            guard isOwner(at: clock.now()) else { return }
            try sendEffects()
            if store.hasMoved { loop.stop() }
        } catch {
            stop(because: error)
        }
    }

    /// Sends the replies, then the messages to nodes, then publishes.
    private func sendEffects() throws {
        for sent in effects.replies { try replies.add(sent.reply.wireBytes, to: sent.client, sendToClient) }
        try replies.sendAll(sendToClient)
        for sent in effects.messages { try messages.add(sent.message.wireBytes, to: sent.node, sendToNode) }
        try messages.sendAll(sendToNode)
        var topics: (account: AccountID, list: [StreamTopic])?
        for published in effects.updates {
            log(published.update)
            if topics?.account != published.account {
                topics = (published.account, controller.streamTopics(of: published.account))
            }
            try publish(published.update, to: topics?.list ?? [])
        }
        for effect in effects.rare { try carryOut(effect) }
    }

    private func carryOut(_ effect: Controller.Effects.Rare) throws {
        switch effect {
        case .publishLast(let topic, let update): try publish(update, to: [topic])
        case .check(let check): hasher.check(check) { [loop] in loop.perform {} }
        case .hash(let hashing): hasher.hash(hashing) { [loop] in loop.perform {} }
        case .message(let message): outbox?.send(message)
        case .askCell(let request): cells?.send(request)
        case .move(let work): try carryOut(work)
        }
    }

    /// Publishes an update under each topic; a topic is approved for one peer.
    private func publish(_ update: StreamUpdate, to topics: [StreamTopic]) throws {
        guard !topics.isEmpty else { return }
        let bytes = update.wireBytes
        for topic in topics {
            _ = try stream.socket.send(topic: topic.bytes, payload: bytes)
            _ = try network?.sockets.stream.send(topic: topic.bytes, payload: bytes)
        }
    }

    private func log(_ update: StreamUpdate) {
        guard case .node(let node, let devices) = update.body else { return }
        guard let suppressed = nodeLines.spend(at: clock.now().monotonic) else { return }
        let presence = node.presence.reason?.name ?? node.presence.kind.name
        var metadata: Logger.Metadata = ["devices": "\(devices)"]
        if suppressed > 0 { metadata["unsaid"] = "\(suppressed)" }
        logger.info("\(node.name) is \(presence)", metadata: metadata)
    }

    private func sendToClient(_ client: ConnectionID, _ frame: [UInt8]) throws {
        if try socket(of: client).send(to: RoutingID(client), delimited: frame) != .sent {
            refused.count(.unread)
        }
    }

    private func sendToNode(_ node: ConnectionID, _ frame: [UInt8]) throws {
        // A node that has gone or does not read is asked again after its next message.
        let devices = (node.isRemote ? network?.sockets : sockets)?.devices
        if try devices?.send(to: RoutingID(node), payload: frame) != .sent { refused.count(.unread) }
    }

    func stop(because error: any Error) {
        logger.error("stopping", metadata: ["reason": "\(error)"])
        failure = failure ?? error
        loop.stop()
    }
}
