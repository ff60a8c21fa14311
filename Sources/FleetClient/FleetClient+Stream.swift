import Bus
public import FleetProtocol

/// The line to the controller's `stream` socket.
extension FleetClient {
    /// Updates read in one turn, so that a flood of them does not keep replies waiting.
    private static let updatesPerTurn = 1_024

    /// The updates of an account from now on; made, connected and subscribed at the first call.
    ///
    /// What was published before the subscription reached the controller is not among them, so begin to read,
    /// and pull the snapshot after. The sequence lasts over lost connections, until the client is closed.
    ///
    /// - Throws: `closed`, or `transport` when no socket can be made.
    public func updates(of account: AccountID) throws(FleetError) -> StreamUpdates {
        guard case .open = phase else { throw .closed }
        let topic = Topic.stream(of: account)
        do throws(BusError) {
            let socket = try streamSocket()
            try socket.subscribe(prefix: topic)
        } catch {
            throw .transport(error)
        }
        let (updates, feed) = StreamUpdates.make()
        lastListener += 1
        let number = lastListener
        readers[number] = StreamReader(topic: topic, feed: feed)
        feed.onEnd { [weak self, loop] in
            loop.perform { [weak self] in self?.assumeIsolated { $0.stopReading(number) } }
        }
        return updates
    }

    private func streamSocket() throws(BusError) -> Socket {
        if let streamLine { return streamLine }
        let options = SocketOptions.defaults(for: .sub, using: &generator)
        let socket = try Socket(.sub, context: context, options: options)
        try socket.connect(endpoints.stream)
        loop.register(socket) { self.assumeIsolated { $0.receiveUpdates() } }
        streamLine = socket
        return socket
    }

    private func stopReading(_ number: UInt64) {
        guard let reader = readers.removeValue(forKey: number), let streamLine else { return }
        do throws(BusError) {
            try streamLine.unsubscribe(prefix: reader.topic)
        } catch {
            // The socket is closed: the subscription went with it.
            self.streamLine = nil
        }
    }

    private func receiveUpdates() {
        guard let streamLine else { return }
        do throws(BusError) {
            for _ in 0..<Self.updatesPerTurn {
                guard try streamLine.receive(into: &frames) else { return }
                receiveUpdate()
            }
        } catch {
            // The context was terminated, or the loop closed the socket: nothing will come any more.
            close()
        }
    }

    /// Takes the update in ``frames``: its topic, then one frame.
    private func receiveUpdate() {
        guard frames.count == 2 else {
            badUpdates += 1
            return
        }
        do throws(WireError) {
            let topic = frames.array(at: 0)
            let update = try StreamUpdate(wireBytes: frames.array(at: 1))
            for reader in readers.values where reader.topic == topic { reader.feed.put(update) }
        } catch {
            badUpdates += 1
        }
    }
}
