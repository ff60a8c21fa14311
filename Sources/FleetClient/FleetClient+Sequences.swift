public import FleetProtocol

/// The sequences of the account that the credentials are of.
///
/// What starts or steers one leaves again after a second of silence and after a new connection, and is done
/// once: when it ends with `noAnswer`, the same may be asked again at any time.
extension FleetClient {
    /// Has a sequence started, or asks how it stands where that was done under the same id before.
    ///
    /// - Parameter id: Made for this one sequence, before the first try.
    /// - Throws: Also `refused` with `notAllowed` for viewers, `notFound` for a device that the account has
    ///   not, and `idMismatch` where another sequence was started under that id.
    public func startSequence(
        _ id: RequestID, _ plan: SequencePlan, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SequenceReport {
        try await sequenceReport(of: id, .start(id, plan), as: credentials, patience: patience)
    }

    /// How a sequence stands.
    ///
    /// - Throws: Also `refused` with `notFound` where the account has none of that id.
    public func sequence(
        _ id: RequestID, as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SequenceReport {
        try await sequenceReport(of: id, .report(id), as: credentials, patience: patience)
    }

    /// Has a sequence paused, resumed, stopped or cancelled; one that has ended stays as it is.
    ///
    /// - Returns: How it stands then; the command that runs may have to end first.
    /// - Throws: Also `refused` with `notAllowed` for viewers, and `notFound`.
    @discardableResult
    public func steerSequence(
        _ id: RequestID, _ steering: SequenceSteering, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SequenceReport {
        try await sequenceReport(of: id, .steer(id, steering), as: credentials, patience: patience)
    }

    /// Some of the sequences, those made last first, as many as fit in one message.
    ///
    /// - Parameters:
    ///   - before: Only those before that one; nil: from the latest on.
    ///   - limit: How many at most, 1 to ``Limits/chunkSequences``.
    public func sequenceList(
        before: RequestID? = nil, limit: Int = Limits.chunkSequences, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SequenceList {
        let request = SequenceRequest.list(before: before, limit: UInt32(clamping: limit))
        let reply = try await ask(request, as: credentials, patience: patience)
        guard case .list(let list) = reply, list.isLast || !list.sequences.isEmpty else {
            throw .unexpectedReply
        }
        return list
    }

    /// The sequences, those made last first, chunk by chunk, each with its own time to wait.
    ///
    /// - Parameter count: How many at most.
    public func sequences(
        _ count: Int, as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> [SequenceSummary] {
        var (found, isLast) = ([SequenceSummary](), false)
        while found.count < count, !isLast {
            let list = try await sequenceList(
                before: found.last?.id, limit: min(count - found.count, Limits.chunkSequences),
                as: credentials, patience: patience)
            found += list.sequences
            isLast = list.isLast
        }
        return found
    }

    private func sequenceReport(
        of id: RequestID, _ request: SequenceRequest, as credentials: Credentials?, patience: Duration
    ) async throws(FleetError) -> SequenceReport {
        let reply = try await ask(request, as: credentials, patience: patience)
        guard case .report(let report) = reply, report.id == id else { throw .unexpectedReply }
        return report
    }

    private func ask(
        _ request: SequenceRequest, as credentials: Credentials?, patience: Duration
    ) async throws(FleetError) -> SequenceReply {
        let asker = if let credentials { credentials } else { try requireCredentials() }
        let reply = try await ask(.sequences(request), as: asker, patience: patience)
        guard case .sequences(let answer) = reply else { throw .unexpectedReply }
        return answer
    }
}
