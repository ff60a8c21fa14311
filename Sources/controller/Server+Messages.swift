import Bus
import ControllerCore
import FleetProtocol
import FleetTime
import ProcessSupport

/// Decodes the messages of each socket, and hands them to the state machine.
extension Server {
    func handleClient(_ frames: borrowing Frames, at now: Moment) {
        guard let peer = frames.routingID(at: 0) else { return refused.count(.frames) }
        guard frames.count == 3, frames.byteCount(at: 1) == 0 else {
            refused.count(.frames)
            let what = "frames: expected an empty delimiter and one message, as a REQ socket sends them"
            return refuse(ClientReply(correlation: 0, body: .refusal(.invalid(what))), to: ConnectionID(peer))
        }
        let frame = ReceivedFrame(frames.array(at: 2))
        let client = ConnectionID(peer, hasBatches: frame.isBatch)
        let mayReach = clients.mayReach(peer, bytes: Limits.chunkBytes)
        frame.forEach { place throws(WireError) in
            let request = try ClientRequest(wireBytes: frame.bytes, in: place)
            // A client that has gone or does not read retries, or needs no answer.
            guard mayReach || !Controller.isReadOnly(request.body) else { return refused.count(.unread) }
            handle(request, from: client, at: now)
        } refuse: { error in
            refused.count(.client, because: error.description)
            refuse(Controller.reply(to: error), to: client)
        }
    }

    private func refuse(_ reply: ClientReply, to client: ConnectionID) {
        effects.replies.append(Controller.Effects.Reply(client: client, reply: reply))
    }

    private func handle(_ request: ClientRequest, from client: ConnectionID, at now: Moment) {
        let digest = request.token.map { digester.digest(of: $0) }
        if case .streamTicket = request.body {
            return step(
                .ticketRequest(
                    client, correlation: request.correlation, digest: digest,
                    fresh: PasswordHasher.makeFreshToken(), isUnattended: request.isUnattended),
                at: now)
        }
        beginTurn(at: now)
        controller.receive(request, from: client, digest: digest, at: now, into: &effects)
    }

    func handleNode(_ frames: borrowing Frames, at now: Moment) {
        guard frames.count == 2, let peer = frames.routingID(at: 0) else { return refused.count(.frames) }
        let (frame, node) = (ReceivedFrame(frames.array(at: 1)), ConnectionID(peer, hasBatches: true))
        frame.forEach { place throws(WireError) in
            let message = try gate.message(wireBytes: frame.bytes, in: place)
            beginTurn(at: now)
            controller.receive(message, from: node, at: now, into: &effects)
        } refuse: { error in
            refused.count(.node, because: error.description)
        }
    }

    func handleTelemetry(_ frames: borrowing Frames, at now: Moment) {
        guard frames.count == 2 else { return refused.count(.frames) }
        do throws(WireError) {
            step(.telemetry(try Telemetry(wireBytes: frames.array(at: 1))), at: now)
        } catch {
            refused.count(.telemetry, because: error.description)
        }
    }

    func handleSubscriber(_ frames: borrowing Frames, at now: Moment) {
        do throws(BusError) {
            let received = try stream.receive(frames, for: &controller, at: now.monotonic)
            if received == .other { refused.count(.subscription) }
        } catch {
            stop(because: error)
        }
    }
}
