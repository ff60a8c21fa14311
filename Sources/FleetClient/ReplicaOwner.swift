import FleetProtocol
public import FleetReplica

/// An actor that owns a replica of one account's fleet, which a client keeps up to date.
///
/// An owner that runs elsewhere than on the client's thread never delays requests. Run
/// ``followConnection(of:)``, ``answerPulls(with:)`` and ``follow(_:afterEach:)`` concurrently, and hand the
/// replica a tick when `Replica.nextDue` comes.
///
/// ```swift
/// /// Owns a replica, and prints what changes.
/// actor Screen: ReplicaOwner {
///     nonisolated let pulls = ReplicaPulls()
///     private(set) var pullCredentials: Credentials?
///     private var replica: Replica
///     private var effects: [Replica.Effect] = []
///
///     init(credentials: Credentials, seed: UInt64) {
///         pullCredentials = credentials
///         replica = Replica(random: SeededGenerator(seed: seed))
///     }
///
///     /// The number of devices; nil while the replica is not complete.
///     var devices: Int? { replica.isWhole ? replica.deviceCount : nil }
///
///     func receive(_ input: Replica.Input) {
///         replica.step(input, at: SystemClock().now(), into: &effects)
///         for effect in effects {
///             switch effect {
///             case .pull(let pull): pulls.add(pull)
///             case .event(let event): print(event.body)
///             }
///         }
///         effects.removeAll(keepingCapacity: true)
///         if replica.hasUnwrittenRows { receive(.tick) }
///     }
///
///     func refuse(_ credentials: Credentials) { pullCredentials = nil }
/// }
/// ```
public protocol ReplicaOwner: Actor {
    nonisolated var pulls: ReplicaPulls { get }

    /// The credentials that pulls use; nil while the owner has no session.
    var pullCredentials: Credentials? { get }

    /// Hands the replica an input: adds its pulls to ``pulls``, handles its events, and then hands it a tick
    /// while it has unwritten rows.
    func receive(_ input: Replica.Input)

    /// Handles a pull whose credentials the controller rejected; the pull is retried at once if
    /// ``pullCredentials`` are others afterwards.
    func refuse(_ credentials: Credentials) async
}

/// The queued pulls of a replica, for its client.
///
/// The buffer holds the newest `Replica.pullsAtMost` pulls, the most that a replica has in flight. The
/// replica retries a pull without a reply.
public struct ReplicaPulls: Sendable {
    /// The pulls in the order in which they were added, for one reader.
    public let stream: AsyncStream<Replica.Pull>
    private let feed: AsyncStream<Replica.Pull>.Continuation

    /// No pulls.
    public init() {
        (stream, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Replica.pullsAtMost))
    }

    /// Adds a pull.
    public func add(_ pull: Replica.Pull) { feed.yield(pull) }
}

/// The number of changes that an owner handles before it yields: about a millisecond of work.
private let changesAtATime = 1_024

extension ReplicaOwner {
    /// Hands the replica the updates of a stream until the client is closed or the task is cancelled.
    ///
    /// - Parameter afterEach: Called after each update.
    /// - Throws: The errors of `afterEach`.
    public func follow<Failure: Error>(
        _ updates: StreamUpdates, afterEach: () throws(Failure) -> Void
    ) async throws(Failure) {
        var applied = 0
        for await update in updates {
            receive(.update(update))
            try afterEach()
            applied += update.changeCount
            guard applied >= changesAtATime else { continue }
            applied = 0
            // An ended stream still delivers its buffered updates.
            guard !Task.isCancelled else { return }
            await Task.yield()
        }
    }

    /// Hands the replica each connection state until the client is closed or the task is cancelled.
    public func followConnection(of client: FleetClient) async {
        for await state in await client.connectionStates() { receive(.connection(state)) }
    }

    /// Answers each pull until the task is cancelled, several at a time.
    ///
    /// The number of concurrent pulls is small. The replica has at most `Replica.pullsAtMost` in flight and
    /// retries each after a second. The client ends a pull after `Limits.defaultTimeout`.
    public nonisolated func answerPulls(with client: FleetClient) async {
        await withDiscardingTaskGroup { group in
            for await pull in pulls.stream {
                group.addTask { await self.answer(pull, with: client) }
            }
        }
    }

    /// Answers a pull, which fails without a session so that the replica retries it.
    public func answer(_ pull: Replica.Pull, with client: FleetClient) async {
        guard let credentials = pullCredentials else { return receive(.pullFailed(pull)) }
        do throws(FleetError) {
            let chunk = try await client.snapshotChunk(from: pull.cursor, to: pull.end, as: credentials)
            receive(.chunk(chunk, answering: pull))
        } catch {
            if case .refused(.unauthenticated) = error {
                await refuse(credentials)
                if let others = pullCredentials, others != credentials {
                    return await answer(pull, with: client)
                }
            }
            receive(.pullFailed(pull))
        }
    }
}
