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
    /// - Parameter pause: For how long after a reading the stream is left alone, so that what comes meanwhile
    ///   wakes nobody and is handed over together; the shortest of all readers'. What comes after a pause is
    ///   handed over at once.
    /// - Throws: `closed`, or `transport` when no socket can be made.
    public func updates(
        of account: AccountID, pause: Duration = .zero
    ) throws(FleetError) -> StreamUpdates {
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
        readers[number] = StreamReader(topic: topic, pause: pause, feed: feed)
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
        streamLine = socket
        listen()
        return socket
    }

    /// Reads the stream whenever something comes.
    private func listen() {
        streamRest = nil
        guard let streamLine else { return }
        loop.register(streamLine) { self.assumeIsolated { $0.receiveUpdates() } }
    }

    /// Leaves the stream alone for as long as its readers allow.
    private func rest() {
        let shortest = readers.values.lazy.map(\.pause).min()
        guard let streamLine, let pause = shortest, pause > .zero else { return }
        loop.unregister(streamLine)
        streamRest = loop.schedule(after: pause) { self.assumeIsolated { $0.listen() } }
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
                guard try streamLine.receive(into: &frames) else {
                    handOver()
                    return rest()
                }
                receiveUpdate()
            }
            handOver()
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
            if topic != newTopic { handOver() }
            newTopic = topic
            newUpdates.append(update)
        } catch {
            badUpdates += 1
        }
    }

    /// Gives the readers what was received, all at once: each is woken once, however much it is.
    private func handOver() {
        guard !newUpdates.isEmpty else { return }
        for reader in readers.values where reader.topic == newTopic { reader.feed.put(newUpdates) }
        newUpdates.removeAll(keepingCapacity: true)
    }
}
