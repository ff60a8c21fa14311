import FleetProtocol
public import FleetReplica

/// An actor with a replica of one account's fleet that a client keeps right.
///
/// The owner has an executor of its own and not the client's thread: whatever it draws, renders or writes
/// never delays requests. Run ``followConnection(of:)``, ``answerPulls(with:)`` and
/// ``follow(_:afterEach:)`` beside each other, and hand the replica a tick when `Replica.nextDue` comes.
public protocol ReplicaOwner: Actor {
    /// The pulls of the replica.
    nonisolated var pulls: ReplicaPulls { get }

    /// Whose credentials pulls show; nil while there is no session.
    var pullCredentials: Credentials? { get }

    /// Hands the replica an input: adds its pulls to ``pulls``, handles its events, and then hands it a tick
    /// while it has unwritten rows.
    func take(_ input: Replica.Input)

    /// Takes that the controller does not know the credentials of a pull.
    func refuse(_ credentials: Credentials)
}

/// The pulls of a replica on their way to its client.
///
/// The newest ``Replica/pullsAtMost`` wait: that is as many as a replica has under way, and one without an
/// answer is repeated.
public struct ReplicaPulls: Sendable {
    /// The pulls in the order in which they were added, for one reader.
    public let stream: AsyncStream<Replica.Pull>
    private let feed: AsyncStream<Replica.Pull>.Continuation

    /// No pulls.
    public init() {
        (stream, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Replica.pullsAtMost))
    }

    /// Adds a pull.
    public func add(_ pull: Replica.Pull) {
        feed.yield(pull)
    }
}

/// Changes that an owner takes before others get their turn: about a millisecond of work.
private let changesAtATime = 1_024

extension ReplicaOwner {
    /// Takes the updates of a stream until its client is closed or the task is cancelled.
    ///
    /// - Parameter afterEach: Called after each update.
    /// - Throws: What that throws.
    public func follow<Failure: Error>(
        _ updates: StreamUpdates, afterEach: () throws(Failure) -> Void
    ) async throws(Failure) {
        var taken = 0
        for await update in updates {
            take(.update(update))
            try afterEach()
            taken += update.changeCount
            guard taken >= changesAtATime else { continue }
            taken = 0
            // A stream that was ended still gives what it holds.
            guard !Task.isCancelled else { return }
            await Task.yield()
        }
    }

    /// Takes each state of a client's connection until the client is closed or the task is cancelled.
    public func followConnection(of client: FleetClient) async {
        for await state in await client.connectionStates() { take(.connection(state)) }
    }

    /// Answers each pull until the task is cancelled, several at a time.
    ///
    /// Few are ever under way: the replica has ``Replica/pullsAtMost`` at a time and repeats one after a
    /// second, and the client gives up after ``Limits/defaultPatience``.
    public nonisolated func answerPulls(with client: FleetClient) async {
        await withDiscardingTaskGroup { group in
            for await pull in pulls.stream {
                group.addTask { await self.answer(pull, with: client) }
            }
        }
    }

    /// Answers a pull; without a session the replica repeats it soon.
    public func answer(_ pull: Replica.Pull, with client: FleetClient) async {
        guard let credentials = pullCredentials else { return take(.pullFailed(pull)) }
        do throws(FleetError) {
            let chunk = try await client.snapshotChunk(from: pull.cursor, to: pull.end, as: credentials)
            take(.chunk(chunk, answering: pull))
        } catch {
            if case .refused(.unauthenticated) = error { refuse(credentials) }
            take(.pullFailed(pull))
        }
    }
}
