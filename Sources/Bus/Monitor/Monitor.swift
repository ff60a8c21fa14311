internal import CZMQ
internal import Synchronization

/// Tells what happens to the connections of one socket.
///
/// It belongs to the thread of its socket. Make it before the socket binds or connects, or miss events;
/// read it, with ``events(on:limit:)``, ``onEvent(on:_:)`` or ``next()``, for as long as it is open. About
/// 100,000 unread events are kept; beyond that libzmq's I/O thread waits for the reader, and with it every
/// socket of the context. Closing the monitor ends that wait; closing its socket first would wait as well.
public final class Monitor {
    /// The most unread events kept on this side.
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
        let bits = events.rawValue | ZMQ_EVENT_MONITOR_STOPPED
        try socket.check(
            zmq_socket_monitor(socket.handle, endpoint.description, bits), "monitor at \(endpoint)")
        socket.monitorNumber = number
        try reports.connect(endpoint)
    }

    /// A loop that has a handler keeps the monitor, so here none polls it.
    deinit {
        endReports()
    }

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

    /// The next event and the endpoint it happened at, without waiting; nil when there is none.
    ///
    /// The endpoint is as libzmq tells it: a path alone for a failed bind, and empty for `stopped`.
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
        // First the events end, then their reader: libzmq's I/O thread would wait for one that has gone.
        if let monitored, !monitored.isClosed, monitored.monitorNumber == number {
            makeRoom()
            zmq_socket_monitor(monitored.handle, nil, 0)
            monitored.monitorNumber = 0
        }
        reports.close()
    }

    /// Drops what is unread: libzmq reports the end too, and may be waiting for room already.
    private func makeRoom() {
        guard !reports.isClosed else { return }
        for _ in 0..<Self.unreadLimit {
            // A terminated context has nothing to read, and waits for nobody.
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
            // The context was terminated: the loop is ending, and there is nothing more to tell.
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
    /// The events as a sequence to await, instead of a handler that is called with them.
    ///
    /// The loop reads them from now on, and keeps the monitor until it or its socket is closed, or until the
    /// reader has gone.
    ///
    /// - Parameters:
    ///   - loop: The loop of the monitored socket's thread.
    ///   - limit: The most unread events kept, at least 1; beyond it the oldest gives way to the newest.
    /// - Precondition: On the loop's thread; neither this nor ``onEvent(on:_:)`` was called before.
    public func events(on loop: Loop, limit: Int = 1_024) -> ConnectionEvents {
        precondition(limit > 0, "a limit of \(limit) unread events keeps none")
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

/// A loop's hold on a monitor that it reads; once the loop lets go of it, the monitor ends.
///
/// The end of a loop closes the socket that the reports come to. libzmq's I/O thread would wait for ever for
/// the reader of the next report, had they not ended before.
final class MonitorReading {
    let monitor: Monitor

    init(of monitor: Monitor) {
        self.monitor = monitor
    }

    deinit {
        monitor.close()
    }
}

extension Socket {
    /// Makes a monitor of the socket's connections; before it binds or connects, or events are missed.
    ///
    /// A socket has one monitor at a time: a second one ends the first's events.
    ///
    /// - Throws: `socketClosed`, `tooManySockets` or `contextTerminated`.
    public func monitor(_ events: ConnectionEventMask = .all) throws(BusError) -> Monitor {
        try Monitor(self, events: events)
    }
}
