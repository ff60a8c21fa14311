import FleetClient
import FleetProtocol
import Stepping

/// The mirrors of the accounts whose users have come so far; each lives until the gateway ends.
actor FleetMirrors {
    /// Accounts that are mirrored; a local fleet has one.
    static let accountsAtMost = 64

    private let client: FleetClient
    private let clock: @Sendable () -> Moment
    private var generator: SeededGenerator
    private var mirrors: [AccountID: FleetMirror] = [:]
    private let starts: AsyncStream<FleetMirror>
    private let startFeed: AsyncStream<FleetMirror>.Continuation

    init(client: FleetClient, clock: @escaping @Sendable () -> Moment, seed: UInt64) {
        self.client = client
        self.clock = clock
        generator = SeededGenerator(seed: seed)
        (starts, startFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.accountsAtMost))
    }

    /// The mirror of an account, begun where there is none yet; nil where there are too many.
    ///
    /// - Parameter credentials: Somebody of that account whom the controller knows.
    func mirror(of account: AccountID, as credentials: Credentials) async -> FleetMirror? {
        if let mirror = mirrors[account] {
            await mirror.use(credentials)
            return mirror
        }
        guard mirrors.count < Self.accountsAtMost else { return nil }
        let mirror = FleetMirror(
            of: account, as: credentials, client: client, clock: clock, seed: generator.next())
        mirrors[account] = mirror
        startFeed.yield(mirror)
        return mirror
    }

    /// Those there are.
    var all: [FleetMirror] { mirrors.values.sorted { $0.account.name < $1.account.name } }

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
