import Bus
public import FleetProtocol

/// The tickets that open streams: requested on `clients`, subscribed to on `stream`.
extension FleetClient {
    /// The mean wait before a ticket to a silent stream is requested; random times spread the requests of
    /// many clients.
    private static let watchInterval: Duration = .milliseconds(250)

    /// Adds credentials with which tickets to an account's stream are requested, before those added earlier.
    ///
    /// Credentials of a session that has ended are removed, and the next newest are used.
    public func offer(_ credentials: Credentials, forStreamOf account: AccountID) {
        guard streams[account] != nil else { return }
        streams[account]?.names.offer(credentials)
        askAgain(for: account)
    }

    func openStream(of account: AccountID, as credentials: Credentials?) {
        let isNew = streams[account] == nil
        if isNew { streams[account] = AccountStream(of: account, at: clock().monotonic) }
        if let credentials { streams[account]?.names.offer(credentials) }
        if isNew { askForTicket(to: account) } else { askAgain(for: account) }
        if stream.watch == nil { watchStreams() }
    }

    func closeStream(of account: AccountID) {
        guard let ticket = streams.removeValue(forKey: account)?.ticket, let socket = stream.socket?.socket
        else { return }
        do throws(BusError) {
            try socket.unsubscribe(prefix: ticket.bytes)
        } catch {
            // The socket is closed, which also ended the subscription.
            stream.socket = nil
        }
    }

    /// Requests tickets that were refused again, because there are other credentials.
    func askAgainForTickets() {
        for account in streams.keys.sorted(by: { $0.name < $1.name }) { askAgain(for: account) }
    }

    private func askAgain(for account: AccountID) {
        guard streams[account]?.isRefused == true else { return }
        streams[account]?.isRefused = false
        askForTicket(to: account)
    }

    /// Ends all waits with `closed`, without sending a request again: its controller was replaced by another
    /// one that must not carry it out.
    package func abandonRequests() {
        pending.finishAll(.closed, into: &effects)
        carryOutEffects()
    }

    /// Requests new tickets for all streams: a controller that was restarted knows no earlier one.
    ///
    /// The client does it itself for each new connection.
    package func renewTickets() {
        for account in streams.keys.sorted(by: { $0.name < $1.name }) { askForTicket(to: account) }
    }

    /// Notes that an update came; returns its account, nil for one without readers.
    func recordStreamMessage(_ topic: [UInt8]) -> AccountID? {
        guard let account = account(of: topic) else { return nil }
        streams[account]?.receivedAt = clock().monotonic
        return account
    }

    /// Requests a ticket because the session of the current one has ended: other credentials may be valid.
    func streamEnded(_ topic: [UInt8]) {
        if let account = account(of: topic) { askForTicket(to: account) }
    }

    private func account(of topic: [UInt8]) -> AccountID? {
        streams.first { topic.starts(with: $0.value.topic) }?.key
    }

    private func askForTicket(to account: AccountID) {
        guard let stream = streams[account], stream.asking == nil, !stream.isRefused else { return }
        guard let name = stream.names.newest ?? credentials else {
            streams[account]?.isRefused = true
            return
        }
        do throws(FleetError) {
            let number = try pending.begin(
                .streamTicket, token: name.token, isUnattended: name.isUnattended,
                timeout: Limits.defaultTimeout, at: clock().monotonic)
            waiters[number] = .ticket(account)
            streams[account]?.asking = name
            drive()
        } catch {
            // Too many requests wait: the next check for silence tries again.
        }
    }

    /// Takes the controller's answer to a request for a ticket.
    func ticketAnswered(_ result: Result<Completion, FleetError>, to account: AccountID) {
        guard let name = streams[account]?.asking else { return }
        streams[account]?.asking = nil
        switch result {
        case .success(.reply(.streamTicket(let answer))) where answer.topic == streams[account]?.topic:
            hold(answer.ticket, to: account)
        case .failure(.refused(.unauthenticated)), .success:
            streams[account]?.names.remove(name)
            let next = streams[account]?.names.newest ?? credentials
            streams[account]?.isRefused = next == nil || next?.token == name.token
            askForTicket(to: account)
        case .failure:
            // The next check for silence tries again.
            break
        }
    }

    private func hold(_ ticket: Token, to account: AccountID) {
        guard let socket = stream.socket?.socket, let held = streams[account] else { return }
        do throws(BusError) {
            try socket.subscribe(prefix: ticket.bytes)
            if let former = held.ticket { try socket.unsubscribe(prefix: former.bytes) }
            streams[account]?.ticket = ticket
            streams[account]?.receivedAt = clock().monotonic
        } catch {
            // The socket is closed, and the client with it.
            stream.socket = nil
        }
    }

    /// Requests another ticket for each silent stream, and schedules the next check.
    private func watchStreams() {
        let now = clock().monotonic
        // A stream that rests is not read, and so cannot be judged.
        let canJudge = isConnected && !isResting
        if canJudge {
            for account in streams.keys.sorted(by: { $0.name < $1.name })
            where streams[account]?.isSilent(at: now) == true {
                askForTicket(to: account)
            }
        }
        let pause = Self.watchInterval / 2 + Self.watchInterval * Double.random(in: 0..<1, using: &generator)
        // Messages that arrive before then only make the streams silent later.
        let silence = canJudge ? streams.values.map { now.duration(to: $0.silentAt) }.min() : nil
        let wait = max(.zero, silence ?? .zero) + pause
        stream.watch =
            streams.isEmpty
            ? nil : loop.schedule(after: wait) { self.assumeIsolated { $0.watchStreams() } }
    }
}

/// The stream of one account: the credentials with which tickets are requested, and the ticket in use.
struct AccountStream: Sendable {
    /// The prefix of the topics of the account's streams.
    let topic: [UInt8]
    /// Credentials for this account alone; without any, the client's own are used.
    var names = KnownCredentials()
    /// The credentials of the request for a ticket that is under way; nil between requests.
    var asking: Credentials?
    /// The ticket that the socket subscribes to.
    var ticket: Token?
    /// Whether all known credentials were refused: no ticket is requested before there are others.
    var isRefused = false
    /// The time of the last update or ticket.
    var receivedAt: MonotonicTime

    init(of account: AccountID, at now: MonotonicTime) {
        topic = Topic.stream(of: account)
        receivedAt = now
    }

    /// When the stream counts as silent if nothing arrives before.
    var silentAt: MonotonicTime { receivedAt.advanced(by: Limits.staleAfter) }

    /// Whether a ticket should be requested, since nothing has come for `Limits.staleAfter`.
    func isSilent(at now: MonotonicTime) -> Bool { asking == nil && !isRefused && silentAt <= now }
}

/// The socket of the stream, and its timers.
struct StreamLink {
    /// Nil until the first call of ``FleetClient/updates(of:as:pause:)``.
    var socket: ClientSocket?
    /// The loop's timer for the next check for silent streams; nil without streams.
    var watch: TimerID?
    /// The loop's timer for the end of a pause of the stream; nil while it is read.
    var rest: TimerID?

    /// Closes the socket, and cancels the timers.
    mutating func close(on loop: Loop) {
        socket?.close()
        for case let timer? in [watch, rest] { loop.cancel(timer) }
        self = StreamLink()
    }
}
