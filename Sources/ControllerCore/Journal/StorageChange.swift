public import FleetProtocol

/// A change that the controller stores before any effect that depends on it leaves. Changes of requests go to
/// the journal, all others to the store.
public enum StorageChange: Sendable, Equatable {
    case request(JournalEntry)
    /// Of a user, a session, a key, a failed log-in, a sign-up or a password reset.
    case access(AccessEntry)
    /// Of the devices of a node.
    case directory(DirectoryEntry)
    /// Of a record of an account service.
    case service(ServiceRecord)
    /// Of a move of an account between cells.
    case move(MoveEntry)

    var part: StorageParts {
        switch self {
        case .request: .requests
        case .access, .move: .access
        case .directory: .directory
        case .service(let record): StorageParts(of: record.service)
        }
    }

    /// Whether an account has come or gone with it, so that the controller must start again.
    public var endsMove: Bool {
        switch self {
        case .move(.departed), .move(.taken): true
        default: false
        }
    }

    var isOfRequest: Bool {
        @inline(__always) get { if case .request = self { true } else { false } }
    }

    var requestID: RequestID? {
        guard case .request(let entry) = self else { return nil }
        return switch entry {
        case .admitted(let request), .dispatched(let request, _): request.requestID
        case .cancelRequested(_, let id): id
        case .ended(_, let report, _, _): report.requestID
        case .horizonRaised, .segmentsRemoved, .segmentBegan, .storeReached: nil
        }
    }
}

struct StorageParts: OptionSet {
    let rawValue: UInt32

    static let requests = StorageParts(rawValue: 1 << 0)
    static let access = StorageParts(rawValue: 1 << 1)
    static let directory = StorageParts(rawValue: 1 << 2)

    static let services = StorageParts(rawValue: ~0b111)

    /// The part of an account service; empty for services that do not exist.
    init(of service: ServiceName) {
        self.init(rawValue: AccountServices.names.firstIndex(of: service).map { 1 << (3 + UInt32($0)) } ?? 0)
    }

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// A change of users, sessions, keys, failed log-ins, sign-ups or password resets.
public enum AccessEntry: Sendable, Equatable {
    /// A user logged in.
    case sessionOpened(TokenDigest, Email, at: WallTime)
    /// A session was used, a day or more after its last stored use.
    case sessionUsed(TokenDigest, at: WallTime)
    case sessionsClosed([TokenDigest])
    /// A key was added; a token with this digest authenticates as the key.
    case keyAdded(APIKey, TokenDigest)
    case keysRevoked([TokenDigest])
    case userAdded(ControllerConfiguration.User)
    case userRemoved(Email)
    /// A password was changed; the user with the new one.
    case passwordChanged(ControllerConfiguration.User)
    /// A user's role was changed; the user with the new role.
    case roleChanged(ControllerConfiguration.User)
    /// A password was wrong, or the user does not exist; with the number of failures in a row.
    case loginFailed(LoginFailures)
    /// The failures under an address were cleared.
    case loginForgiven(Email)
    /// A user asked for a password reset, which replaces any earlier one.
    case resetBegan(PasswordReset)
    /// A password reset was completed or invalidated.
    case resetEnded(Email)
    /// A sign-up was requested; with the time at which the shared bucket is full again.
    case signUpsSpent(wholeAt: WallTime)
}

/// A change of the devices that nodes have. It is stored before a client or an observer learns of a device.
public enum DirectoryEntry: Sendable, Equatable {
    /// A node has these devices in addition to those stored.
    case added(NodeDevices)
    /// A node has exactly these devices; with none, it is removed.
    case listed(NodeDevices)
    /// A stored node has listed its devices in this run of the controller.
    case confirmed(AccountID, NodeName)
}
