import Bus
import FleetProtocol
import FleetTime

/// New sockets in place of those that were denied: libzmq 4.3.4 never connects again with them.
extension FleetClient {
    /// The wait before new sockets after the first denial, which doubles up to 16 s.
    private static let reopenInterval = Duration.milliseconds(500)
    private static let reopenDoublings = 5
    /// The tickets without an update after which a socket on the network counts as deaf: about 5 s.
    private static let deafAfter = 4

    /// Makes new sockets some time after a denial: libzmq never connects again with those that were denied.
    func reopenLater() {
        guard reopening == nil else { return }
        let wait = Self.reopenInterval * (1 << min(denials, Self.reopenDoublings))
        denials += 1
        reopening = loop.schedule(after: wait) { self.assumeIsolated { $0.reopen() } }
    }

    private func reopen() {
        reopening = nil
        guard case .open(let former) = phase else { return }
        former.monitor.close()
        former.socket.close()
        do throws(BusError) {
            try openRequests()
            if streamLine != nil { try reopenStream() }
        } catch {
            // No descriptor is left: the next attempt may find one.
            reopenLater()
        }
    }

    /// Makes a new socket, and requests tickets over it when the client is connected.
    func reopenStream() throws(BusError) {
        closeStreamSocket()
        _ = try streamSocket()
        renewTickets()
    }

    func closeStreamSocket() {
        streamLine?.close()
        streamLine = nil
        if let streamRest { loop.cancel(streamRest) }
        streamRest = nil
    }

    /// Makes a new socket if none of the streams has had an update although all have had tickets for a while:
    /// a denied socket never connects again.
    func replaceDeafSocket(at now: MonotonicTime) {
        guard endpoints.security != .none, streamLine != nil, !streams.isEmpty,
            streams.values.allSatisfy({ $0.unansweredTickets >= Self.deafAfter })
        else { return }
        for account in streams.keys { streams[account]?.unansweredTickets = 0 }
        do throws(BusError) {
            try reopenStream()
        } catch {
            // No descriptor is left: the next check tries again.
        }
    }
}
