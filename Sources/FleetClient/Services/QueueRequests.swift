public import FleetProtocol

/// Requests about the account's command queues. The client repeats a start or a steering after a second
/// without a reply and after a new connection, and the controller executes it once. After `noReply`, the same
/// may be sent again at any time.
extension ServiceClient {
    /// Starts a command queue; if it was started under the same ID before, returns its state.
    ///
    /// The ID is created for this command queue, before the first attempt.
    ///
    /// - Throws: Also `refused` with `notAllowed` for viewers, `notFound` for an unknown device, and
    ///   `idMismatch` if another command queue was started under that ID.
    public func startCommandQueue(_ id: RequestID, _ plan: QueuePlan) async throws(FleetError) -> QueueReport
    {
        try await queueReport(of: id, .start(id, plan))
    }

    /// Returns the state of a command queue.
    ///
    /// - Throws: Also `refused` with `notFound` for an unknown command queue.
    public func commandQueue(_ id: RequestID) async throws(FleetError) -> QueueReport {
        try await queueReport(of: id, .report(id))
    }

    /// Pauses, resumes, stops or cancels a command queue; one that has ended does not change.
    ///
    /// - Returns: The state after that; the running command may have to end first.
    /// - Throws: Also `refused` with `notAllowed` for viewers, and `notFound`.
    @discardableResult
    public func steerCommandQueue(
        _ id: RequestID, _ steering: QueueSteering
    ) async throws(FleetError) -> QueueReport {
        try await queueReport(of: id, .steer(id, steering))
    }

    /// Returns command queues, the newest first, as many as fit in one message.
    ///
    /// They are those before a command queue, if one is named, and 1 to `Limits.chunkQueues`.
    public func commandQueueList(
        before: RequestID? = nil, limit: Int = Limits.chunkQueues
    ) async throws(FleetError) -> QueueList {
        let request = QueueRequest.list(before: before, limit: UInt32(clamping: limit))
        let reply = try await self.request(request)
        guard case .list(let list) = reply, list.isLast || !list.queues.isEmpty, list.queues.count <= limit
        else { throw .unexpectedReply }
        return list
    }

    /// Returns the command queues, the newest first, chunk by chunk.
    ///
    /// At most `count` are returned.
    public func commandQueues(_ count: Int) async throws(FleetError) -> [QueueSummary] {
        var (found, isLast) = ([QueueSummary](), false)
        while found.count < count, !isLast {
            let list = try await commandQueueList(
                before: found.last?.id, limit: min(count - found.count, Limits.chunkQueues))
            found += list.queues
            isLast = list.isLast
        }
        return found
    }

    private func queueReport(
        of id: RequestID, _ request: QueueRequest
    ) async throws(FleetError) -> QueueReport {
        guard case .report(let report) = try await self.request(request), report.id == id else {
            throw .unexpectedReply
        }
        return report
    }
}
