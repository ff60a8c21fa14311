import Bus
public import FleetProtocol

/// A client goes to the cell to which its account was moved.
extension FleetClient {
    /// The time in which the former controller answers the requests that it got.
    private static let formerSocketUse: Duration = .seconds(2)

    /// Sends a request to the cell in which the account is; the first such request connects the client to it.
    ///
    /// A client with a session stays with it: another user's log-in does not lead it away.
    ///
    /// - Returns: Whether it is sent there; if not, it is refused.
    func follow(to cell: CellName, with reply: ClientReply) -> Bool {
        let correlation = Correlation(wireValue: reply.correlation)
        guard credentials == nil || pending.token(of: correlation) == credentials?.token,
            let target = locate?(cell), pending.redirect(correlation, at: clock().monotonic)
        else { return false }
        connect(to: target, of: cell)
        return true
    }

    /// Connects to the controller of a cell, if the client is connected to another one; an unknown cell
    /// changes nothing.
    public func connect(to cell: CellName) {
        if let target = locate?(cell) { connect(to: target, of: cell) }
    }

    private func connect(to target: Endpoints, of cell: CellName) {
        self.cell = cell
        guard case .open(let former) = phase, target != endpoints else { return }
        endpoints = target
        (pending.endpoint, pending.isDenied) = (target.clients, false)
        tracker = ConnectionTracker(endpoint: target.clients)
        keepReading(former, number: connections)
        do throws(BusError) {
            try openRequests()
            handle(tracker.state)
            try reopenStream()
        } catch {
            // The context was terminated, or no descriptor is left.
            close()
        }
    }

    /// Receives the replies to requests that were sent to the former controller: they say whether it has
    /// carried them out.
    private func keepReading(_ former: ClientSocket, number: Int) {
        formerSockets[number] = former
        loop.schedule(after: Self.formerSocketUse) { self.assumeIsolated { $0.closeFormerSocket(number) } }
    }

    func closeFormerSocket(_ number: Int) { formerSockets.removeValue(forKey: number)?.close() }

    /// Connects the stream to the controller of the cell, which knows no ticket yet.
    private func reopenStream() throws(BusError) {
        guard let former = streamSocket else { return }
        former.close()
        streamSocket = nil
        if let streamRest { loop.cancel(streamRest) }
        for account in streams.keys { streams[account]?.ticket = nil }
        try openStreamSocket()
    }
}
