import FleetClient
import FleetProtocol
import GatewayCore
import Stepping

/// The mirrors of the accounts whose users have come so far.
///
/// ``MirrorPlaces`` decides which one goes when another needs its place.
actor FleetMirrors {
    private struct Entry {
        let mirror: FleetMirror
        var usedAt: MonotonicTime
    }

    private let client: FleetClient
    private let clock: @Sendable () -> Moment
    private var generator: SeededGenerator
    private var entries: [AccountID: Entry] = [:]
    private let starts: AsyncStream<FleetMirror>
    private let startFeed: AsyncStream<FleetMirror>.Continuation

    init(client: FleetClient, clock: @escaping @Sendable () -> Moment, seed: UInt64) {
        self.client = client
        self.clock = clock
        generator = SeededGenerator(seed: seed)
        let most = MirrorPlaces.withDevices + MirrorPlaces.withoutDevices
        (starts, startFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(most))
    }

    /// The mirror of an account, begun where there is none; nil where all that there may be are needed.
    ///
    /// - Parameter credentials: Somebody of that account whom the controller knows.
    func mirror(of account: AccountID, as credentials: Credentials) async -> FleetMirror? {
        let now = clock().monotonic
        if let mirror = entries[account]?.mirror {
            entries[account]?.usedAt = now
            await mirror.use(credentials)
            return mirror
        }
        switch MirrorPlaces.room(among: places, at: now) {
        case .free: break
        case .insteadOf(let accounts): for account in accounts { end(account) }
        case .none: return nil
        }
        let mirror = FleetMirror(
            of: account, as: credentials, client: client, clock: clock, seed: generator.next())
        entries[account] = Entry(mirror: mirror, usedAt: now)
        startFeed.yield(mirror)
        return mirror
    }

    /// Who is mirrored, in an order that is the same each time.
    private var places: [MirrorPlaces.Place] {
        entries.sorted { $0.key.name < $1.key.name }.map { account, entry in
            MirrorPlaces.Place(
                account: account, usedAt: entry.usedAt, isListenedTo: entry.mirror.isListenedTo,
                hasDevices: entry.mirror.hasHadDevices)
        }
    }

    /// Ends a mirror: readers that hold it keep what they read, and get no further changes.
    private func end(_ account: AccountID) {
        guard let mirror = entries.removeValue(forKey: account)?.mirror else { return }
        Task { await mirror.end() }
    }

    /// Those there are.
    var all: [FleetMirror] { entries.values.map(\.mirror).sorted { $0.account.name < $1.account.name } }

    /// Lets nobody listen any more.
    func end() async {
        for mirror in all { await mirror.end() }
    }

    /// Runs every mirror until the task is cancelled.
    nonisolated func run() async {
        await withDiscardingTaskGroup { group in
            for await mirror in starts { group.addTask { await mirror.run() } }
        }
    }
}
