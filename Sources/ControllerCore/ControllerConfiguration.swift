public import FleetProtocol
public import FleetTime
public import PlantedBugs

/// What a controller knows when it starts, and the bounds that it keeps.
public struct ControllerConfiguration: Sendable {
    /// One who may log in.
    ///
    /// The description never shows the hash.
    public struct User: Sendable, Equatable, CustomStringConvertible {
        /// Who they are and what they may do.
        public let session: Session
        /// Their password's argon2id hash, in the text form of libsodium.
        public let passwordHash: String

        /// The user of those values.
        public init(session: Session, passwordHash: String) {
            self.session = session
            self.passwordHash = passwordHash
        }

        /// Who it is, in which account, as what.
        public var description: String {
            "\(session.email) in account \(session.account), \(session.role.name)"
        }
    }

    /// A session that an earlier life of the controller opened.
    public struct OpenSession: Sendable, Equatable {
        /// What its token hashes to.
        public let digest: TokenDigest
        /// Whose it is.
        public let email: Email
        /// When it was opened.
        public let openedAt: WallTime
        /// When it was last used, as far as that was stored: a day earlier at most.
        public let usedAt: WallTime

        /// The session of those values; one that was not used yet was used when it was opened.
        public init(digest: TokenDigest, email: Email, openedAt: WallTime, usedAt: WallTime? = nil) {
            self.digest = digest
            self.email = email
            self.openedAt = openedAt
            self.usedAt = usedAt ?? openedAt
        }
    }

    /// A key that was made in an earlier life of the controller.
    public struct KnownKey: Sendable, Equatable {
        /// What it hashes to.
        public let digest: TokenDigest
        /// Its name, and whom it acts for.
        public let key: APIKey

        /// The key of those values.
        public init(digest: TokenDigest, key: APIKey) {
            self.digest = digest
            self.key = key
        }
    }

    /// How long ended requests are remembered, and how many.
    public struct Retention: Sendable {
        /// Results are forgotten after this time, which is not below ``shortest``; nor is a device waited for
        /// any longer once the time of what it was sent is over.
        public var longest: Duration = .seconds(24 * 3_600)
        /// The oldest of an account are forgotten earlier when it has more than this, or than its share of
        /// half the room.
        public var results = 1_000_000
        /// None is forgotten before this time.
        public var shortest = Limits.shortestRetention
        /// For that there is room up to this; an account that has its share of it is refused as busy.
        public var resultsAtMost = Limits.endedRequests

        /// Tombstones that one account has at most; its oldest goes for its newest.
        public var tombstones = Limits.accountTombstones
        /// Tombstones of all accounts: each has its share.
        public var tombstonesAtMost = Limits.tombstones
        /// Forgotten ends that the journal may have beyond as many as are remembered.
        public var forgottenInJournal = 65_536

        /// The retention of SEMANTICS: a day or a million, never less than a minute.
        public init() {}
    }

    /// The stored data of account services, each of all accounts.
    public struct StoredServices: Sendable {
        public var logbooks: [KeptLogbook] = []
        public var sites: [KeptSites] = []
        public var sequences: [KeptSequences] = []
        public var rosters: [KeptRoster] = []
        /// The records of all other services; those of services that do not exist are ignored.
        public var records: [ServiceRecord] = []
    }

    /// This life's start number.
    public var epoch: Epoch
    /// Everybody who may log in.
    public var users: [User]
    /// Sessions still open.
    public var sessions: [OpenSession]
    /// Keys that were not revoked.
    public var keys: [KnownKey] = []
    /// The stored data of account services.
    public var services = StoredServices()
    /// Whether all that earlier lives may have sent is in the journal: of what is not, nobody knows.
    public var recallsRequests = true
    /// Whether only people on duty, and owners, switch devices.
    public var isOnDutyOnly = false
    /// Who failed to log in, and how often.
    public var loginFailures: [LoginFailures] = []
    /// Who asked for another password; those of nobody's address are passed over.
    public var recoveries: [Recovery] = []
    /// When the allowance of sign-ups is whole again; nil before the first sign-up.
    public var signUpsWholeAt: WallTime?
    /// How somebody may come in who cannot log in.
    public var waysIn = WaysIn(signsUp: false, recovers: false)
    /// How long ended requests are remembered.
    public var retention = Retention()
    /// Requests that have not ended, over all accounts.
    public var requestsInFlight = Limits.controllerRequests
    /// The mistake that a simulation plants.
    public var planted = Planting()
    /// Where the jitter of retries starts.
    public var seed: UInt64

    /// The configuration of those values, with the usual bounds.
    public init(epoch: Epoch, users: [User], sessions: [OpenSession] = [], seed: UInt64) {
        self.epoch = epoch
        self.users = users
        self.sessions = sessions
        self.seed = seed
    }
}
