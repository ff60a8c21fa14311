import FleetClient
import FleetProtocol
import GatewayCore
import UserText

/// The replicas of the accounts whose users have sent requests. ``ReplicaSlots`` decides which replica ends
/// for a new one.
actor AccountReplicas {
    private struct Entry {
        let replica: AccountReplica
        var usedAt: MonotonicTime
    }

    private let clock: @Sendable () -> Moment
    private let records: PodRecords
    private var generator: SeededGenerator
    private var entries: [CellAccount: Entry] = [:]
    private let starts: AsyncStream<AccountReplica>
    private let startFeed: AsyncStream<AccountReplica>.Continuation

    init(clock: @escaping @Sendable () -> Moment, seed: UInt64, records: PodRecords) {
        (self.clock, self.records) = (clock, records)
        generator = SeededGenerator(seed: seed)
        let most = ReplicaSlots.withDevices + ReplicaSlots.withoutDevices
        (starts, startFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(most))
    }

    /// Returns the replica of an account, and creates it if necessary; nil if all replicas are in use. The
    /// controller knows the credentials of a user of the account.
    func replica(
        of account: AccountID, in cell: CellName?, as credentials: Credentials, with client: FleetClient
    ) async -> AccountReplica? {
        let now = clock().monotonic
        let place = CellAccount(account, in: cell)
        if let replica = entries[place]?.replica {
            entries[place]?.usedAt = now
            await replica.use(credentials)
            return replica
        }
        switch ReplicaSlots.room(among: places, at: now) {
        case .free: break
        case .insteadOf(let accounts): for account in accounts { end(account) }
        case .none: return nil
        }
        let replica = AccountReplica(
            of: place, as: credentials, client: client, clock: clock, seed: generator.next(),
            records: records)
        entries[place] = Entry(replica: replica, usedAt: now)
        startFeed.yield(replica)
        return replica
    }

    private var places: [ReplicaSlots.Place] {
        entries.sorted { $0.key < $1.key }.map { account, entry in
            ReplicaSlots.Place(
                account: account, usedAt: entry.usedAt, isListenedTo: entry.replica.isListenedTo,
                hasDevices: entry.replica.hasHadDevices)
        }
    }

    /// Ends a replica: readers that have it keep its state, and get no further changes.
    private func end(_ account: CellAccount) {
        guard let replica = entries.removeValue(forKey: account)?.replica else { return }
        Task { await replica.end() }
    }

    var all: [AccountReplica] { entries.values.map(\.replica).sorted { $0.place < $1.place } }

    func end() async {
        for replica in all { await replica.end() }
    }

    nonisolated func run() async {
        await withDiscardingTaskGroup { group in
            for await replica in starts { group.addTask { await replica.run() } }
        }
    }
}

struct ReplicaListeners: Sendable {
    /// The maximum number of queued batches of one listener: 16 s. A slower listener is ended, and starts
    /// again.
    static let waitingBatches = 64
    /// The maximum number of listeners of one session, such as tabs of a browser.
    private static let perSession = 16
    private static let atMost = 256

    private var feeds: [UInt64: AsyncStream<[UInt8]>.Continuation] = [:]
    private var places = ListenerSlots<[UInt8]>(perSession: perSession, atMost: atMost)

    var count: Int { feeds.count }

    /// Adds a listener of a session; an older one may have to end for it. `handleEnd` is called with the
    /// listener's number after its end.
    mutating func add(
        of session: Token, beginning: [UInt8], onEnd handleEnd: @escaping @Sendable (UInt64) -> Void
    ) -> AsyncStream<[UInt8]> {
        let (number, leaving) = places.add(session.bytes)
        if let leaving { feeds.removeValue(forKey: leaving)?.finish() }
        let (stream, feed) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.waitingBatches))
        feeds[number] = feed
        feed.onTermination = { _ in handleEnd(number) }
        feed.yield(beginning)
        return stream
    }

    mutating func remove(_ number: UInt64) {
        feeds[number] = nil
        places.remove(number)
    }

    func send(_ bytes: [UInt8]) {
        for (_, feed) in feeds {
            // The stream ends rather than lack a batch; the browser reconnects with its position.
            if case .dropped = feed.yield(bytes) { feed.finish() }
        }
    }

    func finish() {
        for (_, feed) in feeds { feed.finish() }
    }
}
