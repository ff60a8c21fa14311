internal import CZMQ
internal import Synchronization

/// Reports the events of the connections of one socket.
///
/// It belongs to the thread of its socket. Make it before the socket binds or connects, or events are missed.
/// Read it, with ``events(on:limit:)``, ``onEvent(on:_:)`` or ``next()``, while it is open. About 100,000
/// unread events are queued; beyond that libzmq's I/O thread blocks, and with it every socket of the context.
/// Closing the monitor ends that wait; closing its socket first would block as well.
///
/// ```swift
/// // Made before the bind, so that it misses no event.
/// let events = try socket.monitor([.handshakes, .disconnects]).events(on: loop)
/// try socket.bind(endpoint)
/// ```
public final class Monitor {
    /// The most unread events queued in the receiving socket.
    static let unreadLimit = 100_000

    /// Numbers the monitors of the process, whose inproc names must differ.
    private static let lastNumber = Atomic<UInt64>(0)

    private let reports: Socket
    private let number: UInt64
    private weak var monitored: Socket?
    private var frames = Frames()
    private var loop: Loop?

    init(
        _ socket: Socket, events: ConnectionEventMask, unreadLimit: Int = Monitor.unreadLimit
    ) throws(BusError) {
        var options = SocketOptions.defaults(for: .pair)
        options.receiveHighWaterMark = unreadLimit
        reports = try Socket(.pair, context: socket.context, options: options)
        monitored = socket
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let endpoint = try Endpoint.inproc("bus.monitor.\(number)")
        var bits = events.rawValue | ZMQ_EVENT_MONITOR_STOPPED
        // libzmq 4.3.4 loses the error of a broken frame when it reports it. It then stops reading the
        // connection, and ends the process when that breaks.
        if try socket.read(ZMQ_MECHANISM, name: "mechanism") == ZMQ_CURVE {
            bits &= ~ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        }
        try socket.check(
            zmq_socket_monitor(socket.handle, endpoint.description, bits), "monitor at \(endpoint)")
        socket.monitorNumber = number
        try reports.connect(endpoint)
    }

    /// Ends the reports: a loop with a handler retains the monitor, so no loop polls it now.
    deinit { endReports() }

    /// Calls a handler on the loop's thread with each event and the endpoint it happened at, as ``next()``.
    ///
    /// The loop keeps the monitor until the monitor or its socket is closed, and closes it when it ends.
    ///
    /// - Precondition: On the loop's thread, and called once.
    public func onEvent(on loop: Loop, _ handler: @escaping (ConnectionEvent, String) -> Void) {
        self.loop = loop
        let reading = MonitorReading(of: self)
        loop.register(reports) { reading.monitor.drain(into: handler) }
    }

    /// Returns the next event and its endpoint, without waiting; nil when no event is unread.
    ///
    /// The endpoint is as libzmq reports it: only a path for a failed bind, and empty for `stopped`.
    ///
    /// - Throws: `socketClosed` after ``close()``, or `contextTerminated`.
    public func next() throws(BusError) -> (event: ConnectionEvent, endpoint: String)? {
        while try reports.receive(into: &frames) {
            if let report = Self.parse(frames) { return report }
        }
        return nil
    }

    /// Ends the monitor, also after its loop has ended; a second call does nothing.
    public func close() {
        if let loop, !loop.hasEnded { loop.unregister(reports) }
        loop = nil
        endReports()
    }

    private func endReports() {
        // Monitoring stops before the receiving socket closes: else libzmq's I/O thread would block on it.
        if let monitored, !monitored.isClosed, monitored.monitorNumber == number {
            makeRoom()
            zmq_socket_monitor(monitored.handle, nil, 0)
            monitored.monitorNumber = 0
        }
        reports.close()
    }

    /// Drops the unread events: libzmq also reports `stopped`, and may be blocked on a full queue.
    private func makeRoom() {
        guard !reports.isClosed else { return }
        for _ in 0..<Self.unreadLimit {
            // A terminated context delivers no events, and its I/O thread does not block.
            guard let isReceived = try? reports.receive(into: &frames), isReceived else { return }
        }
    }

    private func drain(into handler: (ConnectionEvent, String) -> Void) {
        do throws(BusError) {
            while !reports.isClosed, let (event, endpoint) = try next() {
                handler(event, endpoint)
                if event == .stopped { close() }
            }
        } catch {
            // The context was terminated: the loop is ending, and no event follows.
            close()
        }
    }

    /// Two frames: a 16-bit number and a 32-bit value in this machine's byte order, and the endpoint.
    private static func parse(_ frames: borrowing Frames) -> (event: ConnectionEvent, endpoint: String)? {
        guard frames.count == 2, frames.byteCount(at: 0) == 6 else { return nil }
        let (number, value) = frames.withBytes(at: 0) { bytes in
            bytes.withUnsafeBytes {
                ($0.loadUnaligned(as: UInt16.self), $0.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
            }
        }
        guard let event = ConnectionEvent(number: Int32(number), value: value) else { return nil }
        return (event, String(decoding: frames.array(at: 1), as: UTF8.self))
    }
}

extension Monitor {
    /// Returns the events as a sequence, instead of passing them to a handler.
    ///
    /// The loop reads them from now on, and retains the monitor until it or its socket is closed, or until
    /// the reader is cancelled or released.
    ///
    /// - Parameters:
    ///   - loop: The loop of the monitored socket's thread.
    ///   - limit: The maximum number of buffered events, at least 1; beyond that the oldest is dropped.
    /// - Precondition: On the loop's thread; neither this nor ``onEvent(on:_:)`` was called before.
    public func events(on loop: Loop, limit: Int = 1_024) -> ConnectionEvents {
        precondition(limit > 0, "a limit of \(limit) unread events stores none")
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionReport.self, bufferingPolicy: .bufferingNewest(limit))
        let feed = ConnectionFeed(of: self, into: continuation)
        onEvent(on: loop) { event, endpoint in feed.report(event, at: endpoint) }
        continuation.onTermination = { [weak feed] termination in
            guard case .cancelled = termination else { return }
            loop.perform { [weak feed] in feed?.close() }
        }
        return ConnectionEvents(stream)
    }
}

/// A loop's reference to a monitor that it reads; its release closes the monitor. The end of a loop closes
/// the receiving socket of the reports. The monitor has to be closed before: otherwise libzmq's I/O thread
/// blocks on its next report.
final class MonitorReading {
    let monitor: Monitor

    init(of monitor: Monitor) { self.monitor = monitor }

    deinit { monitor.close() }
}

extension Socket {
    /// Makes a monitor of the socket's connections; call it before the bind or connect to miss no events.
    ///
    /// A socket has one monitor at a time: a second one ends the first's events. With CURVE it reports no
    /// ``HandshakeFailure/protocolViolation(code:)``: only the disconnection after it.
    ///
    /// - Throws: `socketClosed`, `tooManySockets` or `contextTerminated`.
    public func monitor(_ events: ConnectionEventMask = .all) throws(BusError) -> Monitor {
        try Monitor(self, events: events)
    }
}
