import FleetClient
import FleetProtocol
import Stepping

/// The mirrors of the accounts whose users have come so far.
///
/// Where there is no room for another, the one goes that nobody has needed for longest.
actor FleetMirrors {
    private struct Entry {
        let mirror: FleetMirror
        var usedAt: MonotonicTime
    }

    /// Accounts that are mirrored at a time; a local fleet has one.
    static let accountsAtMost = 64
    /// Who was needed within this time keeps its mirror: longer than clients wait from question to question.
    static let restAtLeast: Duration = .seconds(60)

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
        (starts, startFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.accountsAtMost))
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
        if entries.count >= Self.accountsAtMost {
            guard let rested = rested(at: now) else { return nil }
            entries[rested.account] = nil
            // Whoever still reads it has read it; nobody is told of a change by it any more.
            Task { await rested.end() }
        }
        let mirror = FleetMirror(
            of: account, as: credentials, client: client, clock: clock, seed: generator.next())
        entries[account] = Entry(mirror: mirror, usedAt: now)
        startFeed.yield(mirror)
        return mirror
    }

    /// The one that was needed longest ago, where it has rested and nobody listens to it.
    private func rested(at now: MonotonicTime) -> FleetMirror? {
        entries.values
            .filter { $0.usedAt.duration(to: now) >= Self.restAtLeast && !$0.mirror.isListenedTo }
            .min { $0.usedAt < $1.usedAt }?.mirror
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
