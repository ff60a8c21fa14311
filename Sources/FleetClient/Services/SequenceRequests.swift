public import FleetProtocol

/// The account's command queues, which the wire calls sequences.
///
/// The client repeats a start or a steering after a second without a reply and after a new connection, and
/// the controller executes it once. After `noAnswer`, the same may be sent again at any time.
extension ServiceClient {
    /// Starts a sequence; if it was started under the same ID before, returns its state.
    ///
    /// - Parameter id: An ID created for this sequence, before the first attempt.
    /// - Throws: Also `refused` with `notAllowed` for viewers, `notFound` for an unknown device, and
    ///   `idMismatch` if another sequence was started under that ID.
    public func startSequence(
        _ id: RequestID, _ plan: SequencePlan, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SequenceReport {
        try await sequenceReport(of: id, .start(id, plan), as: credentials, patience: patience)
    }

    /// Returns the state of a sequence.
    ///
    /// - Throws: Also `refused` with `notFound` for an unknown sequence.
    public func sequence(
        _ id: RequestID, as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SequenceReport {
        try await sequenceReport(of: id, .report(id), as: credentials, patience: patience)
    }

    /// Pauses, resumes, stops or cancels a sequence; one that has ended does not change.
    ///
    /// - Returns: The state after that; the running command may have to end first.
    /// - Throws: Also `refused` with `notAllowed` for viewers, and `notFound`.
    @discardableResult
    public func steerSequence(
        _ id: RequestID, _ steering: SequenceSteering, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SequenceReport {
        try await sequenceReport(of: id, .steer(id, steering), as: credentials, patience: patience)
    }

    /// Returns sequences, the newest first, as many as fit in one message.
    ///
    /// - Parameters:
    ///   - before: The sequence to list before; nil starts with the newest.
    ///   - limit: The maximum number, 1 to ``Limits/chunkSequences``.
    public func sequenceList(
        before: RequestID? = nil, limit: Int = Limits.chunkSequences, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SequenceList {
        let request = SequenceRequest.list(before: before, limit: UInt32(clamping: limit))
        let reply = try await self.request(request, as: credentials, patience: patience)
        guard case .list(let list) = reply, list.isLast || !list.sequences.isEmpty else {
            throw .unexpectedReply
        }
        return list
    }

    /// Returns the sequences, the newest first, chunk by chunk; `patience` is for each chunk.
    ///
    /// - Parameter count: The maximum number of sequences.
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
        let reply = try await self.request(request, as: credentials, patience: patience)
        guard case .report(let report) = reply, report.id == id else { throw .unexpectedReply }
        return report
    }
}
