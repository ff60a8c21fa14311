import FleetProtocol

/// Access to an account's stream, with a ticket that is valid as long as the session that requested it.
extension AccessControl {
    /// Replies with a ticket to the stream of the session's account.
    mutating func giveTicket(
        _ fresh: FreshToken, to session: TokenDigest?, isUnattended: Bool, waiter: Waiter,
        in directory: Directory,
        at now: Moment, into effects: inout Controller.Effects
    ) {
        guard let session,
            let place = authenticate(session, isUnattended: isUnattended, at: now.wall, into: &effects)
        else { return effects.refuse(refusal(ofUnknown: session), to: waiter) }
        let account = sessions[place].account
        guard account != frozen else {
            return effects.refuse(.busy(retryAfter: AccountMoves.retry), to: waiter)
        }
        guard
            streamTickets.add(
                fresh.digest, for: session, isUnattended: isUnattended, of: account, at: now.monotonic)
        else { return effects.refuse(.busy(retryAfter: Limits.beatInterval), to: waiter) }
        let topic = Topic.stream(of: directory.accounts[Int(account)].id)
        effects.reply(.streamTicket(StreamTicket(ticket: fresh.token, topic: topic)), to: waiter)
    }

    /// Ends the streams of sessions that have ended.
    ///
    /// A session counts as used while it has a ticket that was requested for a user. Tickets that a program
    /// requested without a user do not count.
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
