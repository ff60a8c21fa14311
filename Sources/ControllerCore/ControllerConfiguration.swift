public import FleetProtocol

/// The stored state and the limits with which a controller starts.
public struct ControllerConfiguration: Sendable {
    /// A user, who can log in. The description never shows the hash.
    public struct User: Sendable, Equatable, CustomStringConvertible {
        /// The identity and the rights of the user.
        public let session: Session
        /// The argon2id hash of the password, in libsodium's text form.
        public let passwordHash: String

        /// Creates a user from its fields.
        public init(session: Session, passwordHash: String) {
            self.session = session
            self.passwordHash = passwordHash
        }

        /// The email, account and role, without the hash.
        public var description: String {
            "\(session.email) in account \(session.account), \(session.role.name)"
        }
    }

    /// A session that was opened in an earlier run of the controller.
    public struct OpenSession: Sendable, Equatable {
        public let digest: TokenDigest
        public let email: Email
        public let openedAt: WallTime
        /// When it was last used; the stored time may be up to a day too early.
        public let usedAt: WallTime

        /// Creates a session from its fields; `usedAt` defaults to `openedAt`.
        public init(digest: TokenDigest, email: Email, openedAt: WallTime, usedAt: WallTime? = nil) {
            self.digest = digest
            self.email = email
            self.openedAt = openedAt
            self.usedAt = usedAt ?? openedAt
        }
    }

    /// An API key that was created in an earlier run of the controller.
    public struct KnownKey: Sendable, Equatable {
        public let digest: TokenDigest
        /// The key's name, user and scope.
        public let key: APIKey

        /// Creates a key from its fields.
        public init(digest: TokenDigest, key: APIKey) {
            self.digest = digest
            self.key = key
        }
    }

    /// The retention of outcomes and tombstones, which decides how old the ID of a command may be.
    public struct Retention: Sendable {
        /// The age at which outcomes are removed; at least ``shortest``. A dispatched request past its
        /// deadline waits no longer than this for an unreachable device.
        public var longest: Duration = .seconds(24 * 3_600)
        /// The maximum number of outcomes of an account, or its share of half of ``resultsAtMost`` if that is
        /// less; the oldest are removed first.
        public var results = 1_000_000
        /// The age below which no outcome is removed.
        public var shortest = Limits.shortestRetention
        /// The capacity for outcomes of all accounts; an account with a full share is refused as busy.
        var resultsAtMost = Limits.endedRequests

        /// How far the ID of a command may be ahead of the clock; more for a clock that tests set.
        public var idAhead = Limits.idAhead
        /// The maximum number of tombstones of an account; the newest replaces the oldest.
        public var tombstones = Limits.accountTombstones
        /// The capacity for tombstones of all accounts; each account has a share.
        var tombstonesAtMost = Limits.tombstones
        /// The number of removed outcomes that the journal may hold in excess of the retained ones.
        public var removedInJournal = 65_536

        /// Creates the default retention: a day or a million outcomes, but at least a minute.
        init() {}
    }

    /// The epoch of this run: the controller's start number.
    public var epoch: Epoch
    public var users: [User]
    public var sessions: [OpenSession]
    /// The API keys that have not been revoked.
    public var keys: [KnownKey] = []
    /// The stored records of account services, in the order of services, accounts and keys; those of services
    /// that do not exist are ignored.
    public var records: [ServiceRecord] = []
    /// Whether the journal has every request that earlier runs may have sent. If not, requests of earlier
    /// runs that are not in the journal are unknown.
    public var restoresRequests = true
    /// Whether only owners and users on duty can switch devices.
    public var isOnDutyOnly = false
    /// The recent log-in failures of each address.
    public var loginFailures: [LoginFailures] = []
    /// The requested password resets; those for unknown addresses are ignored.
    public var passwordResets: [PasswordReset] = []
    /// When the shared sign-up bucket is full again; nil before the first sign-up.
    public var signUpsWholeAt: WallTime?
    /// The enabled self-service flows: sign-up and password reset.
    public var selfService = SelfService(signsUp: false, resetsPasswords: false)
    /// The cells of the installation; nil for a fleet without cells.
    public var cells: CellConfiguration?
    /// The retention of outcomes and tombstones.
    public var retention = Retention()
    /// The maximum number of open requests of all accounts.
    public var requestsInFlight = Limits.controllerRequests
    /// The bug that a simulation plants.
    public var planted = Planting()
    /// The seed of the controller's random numbers, such as the jitter of retries.
    public var seed: UInt64

    /// Creates a configuration with the default limits.
    public init(epoch: Epoch, users: [User], sessions: [OpenSession] = [], seed: UInt64) {
        self.epoch = epoch
        self.users = users
        self.sessions = sessions
        self.seed = seed
    }
}

/// The cells of an installation, as a controller starts with them.
public struct CellConfiguration: Sendable {
    public let own: CellName
    /// The names of all other cells.
    public let others: [CellName]
    /// The digest of the token that follows from the secret of all cells.
    public let digest: TokenDigest
    /// The keyed hash of the directories; its key follows from the secret too.
    public let hash: @Sendable ([UInt8]) -> CellHash
    /// The changes in a page of the directory.
    public let pageChanges: Int
    /// What earlier runs have stored of moves.
    public var moves = StoredMoves()
    /// Whether requests are stored; if not, no account can be moved here, because a repeated request would be
    /// carried out again.
    public var storesRequests = true

    /// A configuration with the given values.
    public init(
        own: CellName, others: [CellName], digest: TokenDigest,
        hash: @escaping @Sendable ([UInt8]) -> CellHash, pageChanges: Int = Limits.directoryPage
    ) {
        (self.own, self.others, self.digest, self.hash) = (own, others, digest, hash)
        self.pageChanges = pageChanges
    }
}

public struct RequestToCell: Sendable {
    public let cell: CellName
    /// The number that the reply repeats.
    public let correlation: UInt64
    public let request: CellRequest

    init(_ cell: CellName, correlation: UInt64, _ request: CellRequest) {
        (self.cell, self.correlation, self.request) = (cell, correlation, request)
    }
}
