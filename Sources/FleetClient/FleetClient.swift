public import Bus
public import FleetProtocol
import FleetReplica
import UserText

/// The controller's client: requests with their replies, and the stream of updates.
///
/// It is isolated to the thread of a `Loop`, which owns its sockets. Each request has a timeout, ends when
/// its task is cancelled, and returns once; that of a list is for each of its chunks. Requests without
/// credentials use those of the user who has logged in. Call ``close()`` when done, and before the loop is
/// shut down: until then the loop retains the client, and waiting requests depend on it.
///
/// ```swift
/// let (session, _) = try await client.login(email: email, password: password)
/// guard let device = try await client.devices().rows.first else { return }
/// ```
public actor FleetClient: ServiceClient {
    /// The controller's sockets.
    public struct Endpoints: Hashable, Sendable {
        /// The socket for requests.
        public let clients: Endpoint
        /// The socket for updates.
        public let stream: Endpoint
        /// How the controller is authenticated: a client of CURVE over tcp.
        public let security: SocketSecurity

        /// The endpoints of the given sockets.
        public init(clients: Endpoint, stream: Endpoint, security: SocketSecurity = .none) {
            (self.clients, self.stream, self.security) = (clients, stream, security)
        }
    }

    /// Returns the sockets of a cell's controller; nil for an unknown cell.
    ///
    /// It is called on the client's thread.
    public typealias CellLocator = @Sendable (CellName) -> Endpoints?

    enum Phase {
        case made
        case open
        case closed
    }

    enum Waiter {
        case handler(@Sendable (Result<Completion, FleetError>) -> Void)
        case ticket(AccountID)
    }

    /// The thread of the client.
    public nonisolated let loop: Loop
    let context: Context
    /// The sockets of the controller; those of another one after the account was moved.
    var endpoints: Endpoints
    let locate: CellLocator?
    /// The cell to which the account was moved; nil while it is where the client began.
    public internal(set) var cell: CellName?
    var sockets = RequestSockets()
    let clock: @Sendable () -> Moment
    var generator: SeededGenerator

    var phase = Phase.made
    /// The credentials of requests that name none; nil before a log-in and after a log-out.
    public internal(set) var credentials: Credentials? {
        didSet { askAgainForTickets() }
    }

    var pending: PendingRequests
    var waiters: [UInt64: Waiter] = [:]
    /// The effects that ``pending`` requested; the array is reused.
    var effects: [PendingRequests.Effect] = []
    /// The loop's timer for the earliest time that ``pending`` has named.
    var wakeup: (timer: TimerID, due: MonotonicTime)?
    var frames = Frames()

    var tracker: ConnectionTracker
    var stream = StreamLink()
    var readers = StreamReaders()
    var streams: [AccountID: AccountStream] = [:]

    /// Creates a client and begins to connect; it does not wait for the controller.
    ///
    /// - Parameters:
    ///   - endpoints: The controller's sockets, which need not exist yet.
    ///   - loop: The thread that runs the client, from `Loop.start`.
    ///   - credentials: Credentials of a session; nil before a log-in.
    ///   - clock: Reads the clocks.
    ///   - seed: 64 random bits that determine retry backoff and request IDs. They need not be secret.
    ///   - locate: Finds the cell to which the account is moved, and to which the client then connects; nil
    ///     for a client that stays, whose requests are then refused with `moved`.
    /// - Throws: `transport` if no socket can be created.
    public static func open(
        _ endpoints: Endpoints, on loop: Loop, context: Context, credentials: Credentials? = nil,
        clock: @escaping @Sendable () -> Moment, seed: UInt64, locate: CellLocator? = nil
    ) async throws(FleetError) -> FleetClient {
        let client = FleetClient(
            endpoints, on: loop, context: context, credentials: credentials, clock: clock, seed: seed,
            locate: locate)
        try await client.connect()
        return client
    }

    private init(
        _ endpoints: Endpoints, on loop: Loop, context: Context, credentials: Credentials?,
        clock: @escaping @Sendable () -> Moment, seed: UInt64, locate: CellLocator?
    ) {
        (self.loop, self.context, self.endpoints) = (loop, context, endpoints)
        (self.credentials, self.clock, self.locate) = (credentials, clock, locate)
        generator = SeededGenerator.derived(seed: seed, purpose: 1)
        pending = PendingRequests(
            endpoint: endpoints.clients, generator: SeededGenerator.derived(seed: seed, purpose: 2))
        tracker = ConnectionTracker(endpoint: endpoints.clients)
    }

    /// The loop, whose thread runs all code isolated to the client.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The numbers of messages that the client could not use, and of repeats.
    public var counters: ClientCounters {
        var counters = pending.counters
        counters.badUpdates = readers.badUpdates
        return counters
    }

    /// Makes these credentials the client's own, for requests that name none.
    public func use(_ credentials: Credentials) { self.credentials = credentials }

    /// Ends the connection, every wait with `closed`, and every sequence; a second call does nothing.
    public func close() {
        guard case .open = phase else { return }
        phase = .closed
        pending.finishAll(.closed, into: &effects)
        carryOutEffects()
        sockets.close()
        stream.close(on: loop)
        readers.finish()
        tracker.finish()
        if let wakeup { loop.cancel(wakeup.timer) }
        wakeup = nil
        streams = [:]
    }
}

extension FleetClient {
    /// Calls a function with a client that has its own thread and context, then closes all three.
    ///
    /// - Parameters:
    ///   - endpoints: The controller's sockets, which need not exist yet.
    ///   - threadName: The name of the thread; the system shows its first 15 bytes.
    ///   - credentials: Credentials of a session; nil before a log-in.
    ///   - clock: Reads the clocks.
    ///   - seed: 64 random bits that determine retry backoff and request IDs. They need not be secret.
    ///   - locate: Finds the cell to which the account is moved; nil for a client that stays.
    ///   - work: The function; the client is closed when it returns or throws.
    /// - Throws: `BusError` or `transport` when there can be no client, and the errors of the function.
    public static func withClient<Value: Sendable>(
        of endpoints: Endpoints, threadName: String, credentials: Credentials? = nil,
        clock: @escaping @Sendable () -> Moment, seed: UInt64, locate: CellLocator? = nil,
        _ work: (FleetClient) async throws -> Value
    ) async throws -> Value {
        try await Loop.withThread(name: threadName) { loop in
            let client = try await open(
                endpoints, on: loop, context: loop.context, credentials: credentials, clock: clock,
                seed: seed,
                locate: locate)
            let result: Result<Value, any Error>
            do {
                result = .success(try await work(client))
            } catch {
                result = .failure(error)
            }
            await client.close()
            return try result.get()
        }
    }
}

/// The reason why a request to the controller returned no result.
public enum FleetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The controller refused the request: nothing was started.
    case refused(Refusal)
    /// The request was sent, and no reply arrived in that time.
    case noReply(waited: Duration)
    /// The client had no connection during the whole wait; perhaps because the controller denied its key.
    case noController(Endpoint, isDenied: Bool = false)
    /// The controller's answer cannot be read. The request may have been carried out.
    case badReply(WireError)
    /// The controller answered another request. This one may have been carried out.
    case unexpectedReply
    /// The limit of 4,096 pending requests is reached.
    case tooManyRequests
    /// The client was closed.
    case closed
    /// The task that waited was cancelled.
    case cancelled
    /// A socket failed.
    case transport(BusError)

    /// The failure and its cause, without a command to run.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.cause
        case .noReply(let waited): "no answer from the controller within \(waited)"
        case .noController(let endpoint, isDenied: true):
            "the fleet at \(endpoint) does not admit the key of this machine for that"
        case .noController(let endpoint, isDenied: false):
            endpoint.ipcPath == nil ? "no answer from \(endpoint)" : "no controller at \(endpoint)"
        case .badReply(let error): "the controller's answer cannot be read: \(error)"
        case .unexpectedReply:
            "the controller sent an unexpected reply: use client and controller of the same version"
        case .tooManyRequests:
            "\(PendingRequests.limit) requests are pending already: wait for some of them to end"
        case .closed: "the client was closed: open another one"
        case .cancelled: "the wait was cancelled"
        case .transport(let error): error.description
        }
    }
}
