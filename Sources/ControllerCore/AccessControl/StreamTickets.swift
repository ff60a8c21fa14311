import FleetProtocol

/// The tickets with which sessions open their account's stream, and the streams that they have opened.
///
/// libzmq 4.3.4 approves a peer by its address, also after the peer has gone. So each approval has a topic of
/// its own. ``settle()`` opens the stream once the publisher has received everything that was waiting, and
/// drops an approval if the peer's subscription ended by then. Topics of their own also let one stream end
/// without the others.
struct StreamTickets: Sendable {
    static let perAccount = 512
    static let perSession = 256
    /// How long a ticket without a connection is valid.
    static let lifetime: Duration = .seconds(60)
    /// The maximum number of dropped approvals of a session in a ``dropInterval``; then it gets no more. For
    /// each approval whose peer has gone, libzmq keeps some hundred bytes and never frees them.
    static let dropsAtMost = 1_024
    static let dropInterval: Duration = .seconds(60)

    private struct Ticket: Sendable {
        let session: TokenDigest
        /// Whether a program requested the ticket without a user.
        let isUnattended: Bool
        /// The ticket's number, which orders tickets by age.
        let number: UInt64
        /// Subscriptions to the ticket that have not ended.
        var connections = 0
        /// When the last subscription ended; before the first one, when the ticket was requested.
        var idleSince: MonotonicTime
        var open: StreamTopic?
        /// The newest approval, until ``settle()`` opens its stream.
        var approved: StreamTopic?
    }

    private struct Holding: Sendable {
        var tickets: [TokenDigest: Ticket] = [:]
        /// The topics of the open streams, oldest first.
        var topics: [StreamTopic] = []

        /// The tickets that count towards a limit: those of a session, or all for nil.
        func tickets(of session: TokenDigest?) -> some Collection<(key: TokenDigest, value: Ticket)> {
            tickets.lazy.filter { session == nil || $0.value.session == session }
        }

        /// The ticket that has been without a connection for longest; nil if all have one.
        func longestIdle(of session: TokenDigest?) -> TokenDigest? {
            tickets(of: session).filter { $0.value.connections == 0 }.min {
                ($0.value.idleSince, $0.value.number) < ($1.value.idleSince, $1.value.number)
            }?.key
        }

        mutating func close(_ topic: StreamTopic?) {
            guard let topic else { return }
            topics.removeAll { $0 == topic }
        }
    }

    private var holdings: [AccountIndex: Holding] = [:]
    private var accounts: [TokenDigest: AccountIndex] = [:]
    /// Tickets with an approval whose stream is not open yet, oldest first.
    private var unsettled: [TokenDigest] = []
    private var lastNumber: UInt64 = 0
    /// Approvals of each session that were dropped in this interval.
    private var drops: [TokenDigest: Int] = [:]
    private var dropsEndAt = MonotonicTime.zero

    /// The topics of an account's open streams, oldest first.
    func topics(of account: AccountIndex) -> [StreamTopic] { holdings[account]?.topics ?? [] }

    /// Whether an account has tickets. They open the stream of the account in the slot, so the slot must not
    /// be reused.
    func has(_ account: AccountIndex) -> Bool { holdings[account].map { !$0.tickets.isEmpty } ?? false }

    func account(of ticket: TokenDigest) -> AccountIndex? { accounts[ticket] }

    /// The sessions that have tickets, and whether any of these was requested for a user.
    var sessions: [TokenDigest: Bool] {
        let tickets = holdings.values.lazy.flatMap(\.tickets.values)
        return Dictionary(tickets.map { ($0.session, !$0.isUnattended) }, uniquingKeysWith: { $0 || $1 })
    }

    /// Adds a ticket; at a limit, in place of the one that has been without a connection for longest. Returns
    /// false if all tickets that the session, or the account, may have are connected.
    mutating func add(
        _ ticket: TokenDigest, for session: TokenDigest, isUnattended: Bool = false, of account: AccountIndex,
        at now: MonotonicTime
    ) -> Bool {
        for (owner, limit) in [(session, Self.perSession), (nil, Self.perAccount)] {
            guard let holding = holdings[account], holding.tickets(of: owner).count >= limit else { continue }
            guard let idle = holding.longestIdle(of: owner) else { return false }
            _ = remove(idle)
        }
        lastNumber += 1
        accounts[ticket] = account
        holdings[account, default: Holding()].tickets[ticket] = Ticket(
            session: session, isUnattended: isUnattended, number: lastNumber, idleSince: now)
        return true
    }

    /// Records that a peer has subscribed to a ticket, and returns the topic to approve the peer for. Returns
    /// nil for an unknown ticket, if an approval is not certain to reach this peer, and at the limit of
    /// dropped approvals.
    mutating func subscribe(_ digest: TokenDigest, to account: AccountID, isCertain: Bool) -> StreamTopic? {
        guard let owner = accounts[digest], let ticket = holdings[owner]?.tickets[digest] else { return nil }
        holdings[owner]?.tickets[digest]?.connections += 1
        guard isCertain, drops[ticket.session, default: 0] < Self.dropsAtMost else { return nil }
        if ticket.approved != nil { drops[ticket.session, default: 0] += 1 }
        lastNumber += 1
        let topic = StreamTopic(account: account, number: lastNumber)
        holdings[owner]?.tickets[digest]?.approved = topic
        unsettled.append(digest)
        return topic
    }

    /// Records that a subscription to a ticket has ended. The newest approval may have been for this
    /// subscription, so it is dropped.
    mutating func unsubscribe(_ digest: TokenDigest, at now: MonotonicTime) {
        guard let owner = accounts[digest], var holding = holdings[owner],
            var ticket = holding.tickets[digest]
        else { return }
        ticket.connections = max(0, ticket.connections - 1)
        if ticket.approved != nil { drops[ticket.session, default: 0] += 1 }
        ticket.approved = nil
        if ticket.connections == 0 {
            holding.close(ticket.open)
            ticket.open = nil
            ticket.idleSince = now
        }
        holding.tickets[digest] = ticket
        holdings[owner] = holding
    }

    /// Opens the streams of approved peers, after the publisher has received everything that was waiting. The
    /// stream of a newer connection replaces that of an older one. Returns the accounts with a new stream.
    mutating func settle() -> [AccountIndex] {
        guard !unsettled.isEmpty else { return [] }
        var opened: [AccountIndex] = []
        for digest in unsettled {
            guard let owner = accounts[digest], var holding = holdings[owner],
                let ticket = holding.tickets[digest], let topic = ticket.approved
            else { continue }
            holding.close(ticket.open)
            holding.topics.append(topic)
            holding.tickets[digest]?.open = topic
            holding.tickets[digest]?.approved = nil
            holdings[owner] = holding
            opened.append(owner)
        }
        unsettled.removeAll(keepingCapacity: true)
        return opened
    }

    /// Removes the tickets of sessions that have ended; returns their streams, oldest first.
    mutating func end(_ sessions: Set<TokenDigest>) -> [(account: AccountIndex, topic: StreamTopic)] {
        guard !sessions.isEmpty else { return [] }
        var ended: [(account: AccountIndex, topic: StreamTopic)] = []
        for (account, holding) in holdings {
            for (digest, ticket) in holding.tickets where sessions.contains(ticket.session) {
                if let topic = remove(digest) { ended.append((account, topic)) }
            }
        }
        return ended.sorted { $0.topic.number < $1.topic.number }
    }

    /// Removes tickets that have been without a connection for ``lifetime``, and the drop counts of earlier
    /// intervals.
    mutating func expireIdle(at now: MonotonicTime) {
        if now >= dropsEndAt {
            dropsEndAt = now.advanced(by: Self.dropInterval)
            drops.removeAll()
        }
        for (account, holding) in holdings {
            for (digest, ticket) in holding.tickets
            where ticket.connections == 0 && ticket.idleSince.duration(to: now) >= Self.lifetime {
                _ = remove(digest)
            }
            if holdings[account]?.tickets.isEmpty == true { holdings[account] = nil }
        }
    }

    private mutating func remove(_ digest: TokenDigest) -> StreamTopic? {
        guard let owner = accounts.removeValue(forKey: digest),
            let ticket = holdings[owner]?.tickets.removeValue(forKey: digest)
        else { return nil }
        if ticket.approved != nil { drops[ticket.session, default: 0] += 1 }
        holdings[owner]?.close(ticket.open)
        return ticket.open
    }
}

/// Access to an account's stream, with a ticket that is valid as long as the session that requested it.
extension AccessControl {
    mutating func giveTicket(
        _ fresh: FreshToken, to session: TokenDigest?, isUnattended: Bool, waiter: Waiter,
        in directory: Directory,
        at now: Moment, into effects: inout Controller.Effects
    ) {
        guard let session,
            let place = authenticate(session, isUnattended: isUnattended, at: now.wall, into: &effects)
        else { return effects.refuse(refusal(ofUnknown: session), to: waiter) }
        if let refusal = sessions[place].refusal(of: .streamTicket) {
            return effects.refuse(refusal, to: waiter)
        }
        let account = sessions[place].account
        guard
            streamTickets.add(
                fresh.digest, for: session, isUnattended: isUnattended, of: account, at: now.monotonic)
        else { return effects.refuse(.busy(retryAfter: Limits.beatInterval), to: waiter) }
        let topic = Topic.stream(of: directory.accounts[Int(account)].id)
        effects.reply(.streamTicket(StreamTicket(ticket: fresh.token, topic: topic)), to: waiter)
    }

    /// Ends the streams of sessions that have ended. A session counts as used while it has a ticket that was
    /// requested for a user. Tickets that a program requested without a user do not count.
    mutating func sweepStreams(
        in directory: Directory, epoch: Epoch, at now: Moment, into effects: inout Controller.Effects
    ) {
        sweptClosings = sessions.closings
        streamTickets.expireIdle(at: now.monotonic)
        let ended = streamTickets.sessions.filter { session, isAttended in
            authenticate(session, isUnattended: !isAttended, at: now.wall, into: &effects) == nil
        }
        for (account, topic) in streamTickets.end(Set(ended.keys)) {
            let record = directory.accounts[Int(account)]
            let update = StreamUpdate(
                epoch: epoch, sequence: record.sequence, at: now.wall, body: .beat, isLast: true)
            effects.rare.append(.publishLast(topic, update))
        }
    }
}
