import Bus
import ControllerCore
import ControllerSupport
import FleetProtocol
import Logging
import ProcessSupport

extension Server {
    /// Handles a message of a client; `sender` is nil on this machine.
    func handleClient(_ frames: borrowing Frames, from sender: Peer? = nil, at now: Moment) {
        guard let peer = frames.routingID(at: 0) else { return refused.count(.frames) }
        guard frames.count == 3, frames.byteCount(at: 1) == 0 else {
            refused.count(.frames)
            let what = "frames: expected an empty delimiter and one message, as a REQ socket sends them"
            return refuse(
                ClientReply(correlation: 0, body: .refusal(.invalid(what))),
                to: ConnectionID(peer, isRemote: sender != nil))
        }
        let frame = ReceivedFrame(frames.array(at: 2))
        let client = ConnectionID(peer, hasBatches: frame.isBatch, isRemote: sender != nil)
        let mayReach = socket(of: client).mayReach(peer, bytes: Limits.chunkBytes)
        frame.forEach { place throws(WireError) in
            let request = try ClientRequest(wireBytes: frame.bytes, in: place)
            // A client that has gone or does not read retries, or needs no answer.
            guard mayReach || !Controller.isReadOnly(request.body) else { return refused.count(.unread) }
            handle(request, from: client, sender, at: now)
        } refuse: { error in
            refused.count(.client, because: error.description)
            refuse(Controller.reply(to: error), to: client)
        }
    }

    func socket(of client: ConnectionID) -> Socket {
        (client.isRemote ? network?.sockets : nil)?.clients ?? sockets.clients
    }

    private func refuse(_ reply: ClientReply, to client: ConnectionID) {
        effects.replies.append(Controller.Effects.Reply(client: client, reply: reply))
    }

    private func handle(
        _ request: ClientRequest, from client: ConnectionID, _ sender: Peer?, at now: Moment
    ) {
        let digest = request.token.map { digester.digest(of: $0) }
        if let sender, let refusal = sender.refusal(of: request, digest: digest, in: controller) {
            return refuse(ClientReply(correlation: request.correlation, body: .refusal(refusal)), to: client)
        }
        if case .streamTicket = request.body {
            return step(
                .ticketRequest(
                    client, correlation: request.correlation, digest: digest,
                    fresh: .make(), isUnattended: request.isUnattended),
                at: now)
        }
        beginTurn(at: now)
        controller.receive(request, from: client, digest: digest, at: now, into: &effects)
    }

    /// Handles a message of a node; `sender` is nil on this machine.
    func handleNode(_ frames: borrowing Frames, from sender: Peer? = nil, at now: Moment) {
        guard frames.count == 2, let peer = frames.routingID(at: 0) else { return refused.count(.frames) }
        let frame = ReceivedFrame(frames.array(at: 1))
        let node = ConnectionID(peer, hasBatches: true, isRemote: sender != nil)
        frame.forEach { place throws(WireError) in
            let message = try NodeMessage(wireBytes: frame.bytes, in: place)
            if let error = refusal(ofHello: message, from: sender) { throw error }
            beginTurn(at: now)
            controller.receive(message, from: node, at: now, into: &effects)
        } refuse: { error in
            refused.count(.node, because: error.description)
        }
    }

    /// Why a node may not say that hello: on this machine its token decides, and on the network its key.
    private func refusal(ofHello message: NodeMessage, from sender: Peer?) -> WireError? {
        guard let sender else { return gate.refusal(ofHello: message) }
        return network?.registry.refusal(ofHello: message, from: sender)
    }

    /// Handles telemetry of a node; `sender` is nil on this machine.
    func handleTelemetry(_ frames: borrowing Frames, from sender: Peer? = nil, at now: Moment) {
        guard frames.count == 2 else { return refused.count(.frames) }
        do throws(WireError) {
            let telemetry = try Telemetry(wireBytes: frames.array(at: 1))
            if let sender, network?.registry.owns(telemetry.bootID, sender) != true {
                throw .malformed("boot_id", "that of the sender's hello")
            }
            step(.telemetry(telemetry), at: now)
        } catch {
            refused.count(.telemetry, because: error.description)
        }
    }

    func handleSubscriber(_ frames: borrowing Frames, of stream: inout StreamSocket, at now: Moment) {
        do throws(BusError) {
            let received = try stream.receive(frames, for: &controller, at: now.monotonic)
            if received == .other { refused.count(.subscription) }
        } catch {
            stop(because: error)
        }
    }
}

/// The results of work outside the loop.
extension Server {
    func handleHasher() {
        for hashResult in hasher.drainResults() {
            step(
                .passwordChecked(
                    ticket: hashResult.ticket, didMatch: hashResult.didMatch, token: hashResult.token,
                    digest: hashResult.digest, hash: hashResult.hash),
                at: clock.now())
        }
        for hash in hasher.drainHashes() {
            step(.passwordHashed(ticket: hash.ticket, hash: hash.text), at: clock.now())
        }
    }

    /// Handles one part in each turn, so that no turn is long.
    func handleReader() {
        do throws(StorageError) {
            guard let (part, hasMore) = try reader.popPart() else { return }
            step(.replayed(part.ends, unreadUpTo: part.unreadUpTo), at: clock.now())
            if part.unreadUpTo == nil { logger.info("journal read completely") }
            if hasMore { loop.perform {} }
        } catch {
            stop(because: error)
        }
    }
}

/// Counts of refused messages and lost connections, for the log.
extension Server {
    private var allSockets: [Socket] { sockets.all + (network?.all ?? []) }

    func logRefused(at now: MonotonicTime) {
        let oversize = allSockets.map(\.counters.oversizeMessages).reduce(0, +)
        refused.count(
            .frames, times: Int(oversize - oversizeCounted), because: "more than \(Frames.limit) frames")
        oversizeCounted = oversize
        for (why, times) in controller.drainSuspicions() {
            refused.count(.node, times: times, because: why.text)
        }
        guard let counts = refused.report(at: now) else { return }
        logger.warning("messages were refused", metadata: counts)
    }

    func logConflicts() {
        for conflict in controller.drainConflicts() {
            logger.error(
                "two processes run as \(conflict.node), and the later one is refused: stop one of them",
                metadata: ["serving": "\(conflict.serving)", "refused": "\(conflict.refused)"])
        }
    }

    func logHistoryLosses() {
        for loss in controller.drainHistoryLosses() {
            logger.error(
                "a device knows a later request than the journal: unknown requests of the account are refused",
                metadata: [
                    "account": "\(loss.account)", "node": "\(loss.node)", "request": "\(loss.request)",
                    "upToMs": "\(loss.upTo.unixMilliseconds)",
                ])
        }
    }

    func countLostConnections(at now: MonotonicTime) {
        if let network { refused.count(.peer, times: network.takeDenials(), because: "unknown keys") }
        let lost = lostConnections.count(over: allSockets)
        refused.count(.crowd, times: lost.crowd, because: "too many connections")
        refused.count(.flood, times: lost.flood, because: "connections exceeded their bounds")
        if lostConnections.wereLongAgo(at: now) { Allocator.giveBack() }
    }
}
