/// A socket that connects to one endpoint for life, replaced where libzmq would not connect with it again.
///
/// libzmq 4.3.4 never connects again with a socket that was denied, or whose peer broke the protocol, as
/// faults of the network do under CURVE. It then reports the end of the connection, and no attempt to
/// connect. Another socket takes its place after half a second, and after up to 16 s if that fails as well.
/// Messages that were not sent are lost with the former socket.
///
/// It belongs to the thread of its loop, as its socket does.
public final class ClientSocket {
    /// The wait before the first replacement, which doubles with each that does not connect.
    private static let interval = Duration.milliseconds(500)
    private static let doublings = 5

    /// The current socket.
    public private(set) var socket: Socket
    /// Reads the socket whenever it is readable; nil while it is not read.
    public var onReadable: (() -> Void)? {
        didSet {
            // Before the connection, `open` registers the socket.
            guard observe != nil, (oldValue == nil) != (onReadable == nil) else { return }
            if onReadable == nil { loop.unregister(socket) } else { register() }
        }
    }

    private let endpoint: Endpoint
    private let loop: Loop
    private var monitor: Monitor
    private var prepare: ((Socket) throws(BusError) -> Void)?
    private var observe: ((ConnectionEvent) -> Void)?
    private var replacements = 0
    /// Whether a connection ended, and no attempt to connect followed.
    private var isAbandoned = false
    private var check: TimerID?

    /// Makes the socket, which is not connected yet.
    ///
    /// - Throws: `contextTerminated`, `tooManySockets`, or `invalidArgument` for an option out of bounds.
    public init(
        _ kind: SocketKind, to endpoint: Endpoint, options: SocketOptions, on loop: Loop
    ) throws(BusError) {
        (self.endpoint, self.loop) = (endpoint, loop)
        socket = try Socket(kind, context: loop.context, options: options)
        monitor = try socket.monitor()
    }

    /// Connects, once.
    ///
    /// - Parameters:
    ///   - prepare: Called with each new socket before it connects, as for subscriptions.
    ///   - observe: Called with each event of the connection.
    /// - Throws: What `prepare` throws, `invalidArgument` for a wildcard, or `contextTerminated`.
    public func connect(
        prepare: @escaping (Socket) throws(BusError) -> Void, observe: @escaping (ConnectionEvent) -> Void
    ) throws(BusError) {
        (self.prepare, self.observe) = (prepare, observe)
        try open()
    }

    /// Closes the socket, and calls nothing any more; a second call does nothing.
    public func close() {
        monitor.close()
        // The loop unregisters it, unless it has ended.
        socket.close()
        (prepare, observe) = (nil, nil)
        onReadable = nil
        if let check, !loop.hasEnded { loop.cancel(check) }
        check = nil
    }

    private func open() throws(BusError) {
        monitor.onEvent(on: loop) { [weak self] event, _ in self?.handle(event) }
        try prepare?(socket)
        try socket.connect(endpoint)
        if onReadable != nil { register() }
    }

    private func register() {
        loop.register(socket) { [weak self] in self?.onReadable?() }
    }

    private func handle(_ event: ConnectionEvent) {
        switch event {
        case .disconnected:
            isAbandoned = true
            checkLater()
        case .handshakeSucceeded: (isAbandoned, replacements) = (false, 0)
        case .connected, .connectDelayed, .connectRetried: isAbandoned = false
        default: break
        }
        observe?(event)
    }

    private func checkLater() {
        guard check == nil else { return }
        let wait = Self.interval * (1 << min(replacements, Self.doublings))
        check = loop.schedule(after: wait) { [weak self] in
            self?.check = nil
            self?.replaceAbandoned()
        }
    }

    private func replaceAbandoned() {
        guard isAbandoned, observe != nil else { return }
        replacements += 1
        do throws(BusError) {
            let other = try Socket(socket.kind, context: loop.context, options: socket.options)
            let otherMonitor = try other.monitor()
            monitor.close()
            socket.close()
            (socket, monitor, isAbandoned) = (other, otherMonitor, false)
            try open()
        } catch {
            // No descriptor is left: the next attempt may find one.
            isAbandoned = true
            checkLater()
        }
    }
}
