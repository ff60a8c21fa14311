import Bus
public import FleetProtocol
import Synchronization

/// The start, the processing and the end of requests.
extension FleetClient {
    /// A wait for a request; without a request until the client's thread has begun it.
    private final class Wait: Sendable {
        let number = Mutex<UInt64?>(nil)
    }

    /// Waits for the reply to a query with the given credentials, or the client's own.
    nonisolated func ask(
        _ body: ClientRequest.Body, as credentials: Credentials? = nil, timeout: Duration
    ) async throws(FleetError) -> ClientReply.Body {
        let shown = try await orOwn(credentials)
        return try await ask(body, token: shown.token, isUnattended: shown.isUnattended, timeout: timeout)
    }

    /// Returns a client of account services with the given credentials, or those of the user who has logged
    /// in.
    public nonisolated func services(
        as credentials: Credentials? = nil, timeout: Duration = Limits.defaultTimeout
    ) -> ServiceCaller {
        ServiceCaller(client: self, credentials: credentials, timeout: timeout)
    }

    /// Sends a request of an account service as the user who has logged in, and returns the reply.
    public nonisolated func request<Request: ServiceRequest>(
        _ request: Request
    ) async throws(FleetError) -> Request.Reply {
        try await services().request(request)
    }

    /// Sends a request of an account service, and returns the reply; with the given credentials, or the
    /// client's own.
    nonisolated func request<Request: ServiceRequest>(
        _ request: Request, as credentials: Credentials?, timeout: Duration
    ) async throws(FleetError) -> Request.Reply {
        let shown = try await orOwn(credentials)
        let reply = try await ask(
            .service(ServiceMessage(request)), token: shown.token, isUnattended: shown.isUnattended,
            retry: request.traits.retry, timeout: timeout)
        guard case .service(let message) = reply else { throw .unexpectedReply }
        do throws(WireError) {
            if let answer = try message.reply(to: Request.self) { return answer }
        } catch {
            throw .badReply(error)
        }
        throw .unexpectedReply
    }

    /// Returns the given credentials, or the client's own; `unauthenticated` before a log-in.
    nonisolated func orOwn(_ credentials: Credentials?) async throws(FleetError) -> Credentials {
        if let credentials { return credentials }
        guard let own = await self.credentials else { throw .refused(.unauthenticated) }
        return own
    }

    /// Waits for the reply to a query, sent again by the request's traits unless `retry` says when. The token
    /// is nil for a log-in.
    nonisolated func ask(
        _ body: ClientRequest.Body, token: Token?, isUnattended: Bool = false, retry: RetryPolicy? = nil,
        timeout: Duration
    ) async throws(FleetError) -> ClientReply.Body {
        let completion = try await wait { (client) throws(FleetError) in
            try client.pending.begin(
                body, token: token, isUnattended: isUnattended, retry: retry, timeout: timeout,
                at: client.clock().monotonic)
        }
        guard case .reply(let reply) = completion else {
            preconditionFailure("a query ends with its reply, not with \(completion)")
        }
        return reply
    }

    nonisolated func carryThrough(
        _ command: Command, as credentials: Credentials
    ) async throws(FleetError) -> CommandCompletion {
        try await wait { (client) throws(FleetError) in
            try client.pending.begin(command, as: credentials, at: client.clock().monotonic)
        }.ofCommand
    }

    /// Sends a command as ``perform(_:as:)`` does, but calls a handler with its outcome on the client's
    /// thread, perhaps before this call returns. The handler must not call the client.
    package func perform(
        _ command: Command, as credentials: Credentials,
        then handle: @escaping @Sendable (Result<CommandCompletion, FleetError>) -> Void
    ) {
        begin { (client) throws(FleetError) in
            try client.pending.begin(command, as: credentials, at: client.clock().monotonic)
        } then: {
            handle($0.map(\.ofCommand))
        }
    }

    /// Begins a request, and waits until it ends for any reason. The client's thread is only notified: a
    /// method of the actor would resume the caller via the actor's thread, which costs two more changes of
    /// threads.
    private nonisolated func wait(
        for begin: @escaping @Sendable (isolated FleetClient) throws(FleetError) -> UInt64
    ) async throws(FleetError) -> Completion {
        let wait = Wait()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                loop.perform {
                    let number = self.assumeIsolated { $0.begin(begin) { waiter.resume(returning: $0) } }
                    wait.number.withLock { $0 = number }
                }
                // The handler had no wait to stop if the task was cancelled earlier.
                if Task.isCancelled { stop(wait) }
            }
        } onCancel: {
            stop(wait)
        }
        return try result.get()
    }

    /// Begins a request, and calls a handler when it ends; returns its number, or nil if it cannot begin.
    @discardableResult
    private func begin(
        _ request: (isolated FleetClient) throws(FleetError) -> UInt64,
        then handle: @escaping @Sendable (Result<Completion, FleetError>) -> Void
    ) -> UInt64? {
        do throws(FleetError) {
            guard case .open = phase else { throw .closed }
            let number = try request(self)
            waiters[number] = .handler(handle)
            drive()
            return number
        } catch {
            handle(.failure(error))
            return nil
        }
    }

    /// Handles the cancellation of the waiting task; called from any thread, possibly repeatedly.
    private nonisolated func stop(_ wait: Wait) {
        loop.perform { self.assumeIsolated { $0.cancel(wait) } }
    }

    private func cancel(_ wait: Wait) {
        guard let number = wait.number.withLock({ $0 }) else { return }
        pending.cancel(number, at: clock().monotonic, into: &effects)
        drive()
    }

    func drive() {
        guard case .open = phase else { return }
        pending.turn(at: clock().monotonic, into: &effects)
        carryOutEffects()
        setTimer()
    }

    func carryOutEffects() {
        for effect in effects {
            switch effect {
            case .send(let correlation, let request): offer(request, as: correlation)
            case .end(let number, let result): end(number, result)
            }
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func end(_ number: UInt64, _ result: Result<Completion, FleetError>) {
        switch waiters.removeValue(forKey: number) {
        case .handler(let handle)?: handle(result)
        // A ticket's answer may begin another request while effects are being executed.
        case .ticket(let account)?:
            loop.perform { [weak self] in self?.assumeIsolated { $0.ticketAnswered(result, to: account) } }
        case nil: break
        }
    }

    private func offer(_ request: ClientRequest, as correlation: Correlation) {
        guard case .open = phase else { return }
        let now = clock().monotonic
        guard isConnected, let requests = sockets.current else {
            return pending.blocked(correlation, at: now)
        }
        do throws(BusError) {
            switch try requests.socket.send(delimited: request.wireBytes) {
            case .sent: pending.sent(correlation, at: now)
            case .wouldBlock, .unroutable: pending.blocked(correlation, at: now)
            }
        } catch {
            // The context was terminated; the loop is about to close the sockets, and then the client ends.
            pending.blocked(correlation, at: now)
        }
    }

    private func setTimer() {
        guard let due = pending.nextDue else { return }
        if let wakeup {
            guard due < wakeup.due else { return }
            loop.cancel(wakeup.timer)
        }
        let delay = clock().monotonic.duration(to: due)
        let timer = loop.schedule(after: max(.zero, delay)) { self.assumeIsolated { $0.timerFired() } }
        wakeup = (timer, due)
    }

    private func timerFired() {
        wakeup = nil
        drive()
    }
}

extension Completion {
    fileprivate var ofCommand: CommandCompletion {
        guard case .command(let end) = self else {
            preconditionFailure("a command ends with its end, not with \(self)")
        }
        return end
    }
}

/// A client goes to the cell to which its account was moved.
extension FleetClient {
    /// The time in which the former controller answers the requests that it got.
    private static let formerSocketUse: Duration = .seconds(2)

    /// Sends a request to the cell in which the account is; the first such request connects the client to it.
    /// A client with a session stays with it: another user's log-in does not lead it away. Returns false if
    /// the request is refused instead.
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
        guard case .open = phase, target != endpoints else { return }
        endpoints = target
        (pending.endpoint, pending.isDenied) = (target.clients, false)
        tracker.restart(at: target.clients)
        // The former controller replies whether it has carried out the requests that it got.
        let former = sockets.newest
        loop.schedule(after: Self.formerSocketUse) { self.assumeIsolated { $0.sockets.closeFormer(former) } }
        do throws(BusError) {
            try openRequests()
            handle(tracker.state)
            try reopenStream()
        } catch {
            // The context was terminated, or no descriptor is left.
            close()
        }
    }

    /// Connects the stream to the controller of the cell, which knows no ticket yet.
    private func reopenStream() throws(BusError) {
        guard let former = stream.socket else { return }
        former.close()
        stream.socket = nil
        if let rest = stream.rest { loop.cancel(rest) }
        for account in streams.keys { streams[account]?.ticket = nil }
        try openStreamSocket()
    }
}
