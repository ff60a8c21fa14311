import CZMQ
import Glibc
import RawPeers
import Synchronization
import Testing

@testable import Bus

/// Shared by tests: the process's context, and unique names.
enum Fixture {
    private static let lastNumber = Atomic<Int>(0)
    private static let shared = Result<Context, BusError> { () throws(BusError) in
        try Context(maxSockets: 4_096)
    }

    /// The context of the whole process.
    static var context: Context {
        get throws(BusError) { try shared.get() }
    }

    /// A unique inproc endpoint.
    static func inproc() throws(BusError) -> Endpoint {
        let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        return try .inproc("test.\(number)")
    }

    static func socket(
        _ kind: SocketKind, boundTo endpoint: Endpoint, options: SocketOptions? = nil
    ) throws(BusError) -> Socket {
        let socket = try Socket(kind, context: context, options: options)
        try socket.bind(endpoint)
        return socket
    }

    static func socket(
        _ kind: SocketKind, connectedTo endpoint: Endpoint, options: SocketOptions? = nil
    ) throws(BusError) -> Socket {
        let socket = try Socket(kind, context: context, options: options)
        try socket.connect(endpoint)
        return socket
    }

    /// Two connected sockets, the first of them bound.
    static func pair(
        _ bound: SocketKind, _ connected: SocketKind,
        boundOptions: SocketOptions? = nil, connectedOptions: SocketOptions? = nil
    ) throws(BusError) -> (bound: Socket, connected: Socket) {
        let endpoint = try inproc()
        let first = try socket(bound, boundTo: endpoint, options: boundOptions)
        return (first, try socket(connected, connectedTo: endpoint, options: connectedOptions))
    }
}

/// Expects that a closure throws an error with a code, and returns it.
@discardableResult
func expectError(
    _ code: BusError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> some Any
) -> BusError? {
    let error = #expect(throws: BusError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    return error
}

extension Socket {
    /// The next message as arrays, or nil if none arrives within the socket's timeout.
    func next() throws(BusError) -> [[UInt8]]? {
        var frames = Frames()
        guard try receiveWaiting(into: &frames) else { return nil }
        return frames.arrays
    }

    /// The next message of a ROUTER and its peer.
    ///
    /// - Throws: `NothingReceived` if none arrives within the socket's timeout.
    func nextFromPeer() throws -> (peer: RoutingID, frames: [[UInt8]]) {
        var frames = Frames()
        guard try receiveWaiting(into: &frames) else { throw NothingReceived() }
        guard let peer = frames.routingID(at: 0) else { throw NothingReceived() }
        return (peer, Array(frames.arrays.dropFirst()))
    }

    /// The next frame, which has already arrived.
    func nextFrame() throws -> Message {
        guard let message = try receive() else { throw NothingReceived() }
        return message
    }
}

/// A directory that is removed with its contents at the end of the test.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/bus-tests.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(errno: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names { unlink(path + "/" + name) }
        rmdir(path)
    }

    /// The names of the files within.
    var names: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// A message that a test needs did not arrive.
struct NothingReceived: Error {}

/// A system call of a test failed.
struct SystemFailure: Error {
    let errno: Int32
}

/// The SplitMix64 generator: a sequence from a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// The resources of this process.
enum ProcessUse {
    /// The resident memory in bytes: VmRSS.
    static func residentBytes() throws -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { throw SystemFailure(errno: errno) }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { throw SystemFailure(errno: errno) }
        let text = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let numbers = text.split(separator: " ")
        guard numbers.count > 1, let pages = Int(numbers[1]) else { throw SystemFailure(errno: EINVAL) }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The number of open descriptors, including the one that counts them.
    static func descriptorCount() throws -> Int {
        guard let directory = opendir("/proc/self/fd") else { throw SystemFailure(errno: errno) }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count - 2
    }
}

/// Calls a closure when its last reference is released.
final class ReleaseWitness {
    private let onRelease: () -> Void

    init(onRelease: @escaping () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}

/// A counter for several threads.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// The number after incrementing.
    func increment() -> Int {
        count.add(1, ordering: .relaxed).newValue
    }
}

extension Socket {
    /// Reads the options in effect back from libzmq; those that it cannot report are the ones that were set.
    func readOptions() throws(BusError) -> SocketOptions {
        var options = self.options
        options.linger = try duration(ZMQ_LINGER)
        options.sendHighWaterMark = try Int(read(ZMQ_SNDHWM, name: "send mark"))
        options.receiveHighWaterMark = try Int(read(ZMQ_RCVHWM, name: "receive mark"))
        options.maxMessageBytes = try Int(readWide(ZMQ_MAXMSGSIZE)) - options.security.boxBytes
        options.handshakeInterval = try duration(ZMQ_HANDSHAKE_IVL)
        options.reconnect.interval = try duration(ZMQ_RECONNECT_IVL)
        options.reconnect.maximum = try duration(ZMQ_RECONNECT_IVL_MAX)
        options.reconnect.timeout = try duration(ZMQ_CONNECT_TIMEOUT)
        options.immediate = try read(ZMQ_IMMEDIATE, name: "immediate") != 0
        (options.sendTimeout, options.receiveTimeout) = (try timeout(ZMQ_SNDTIMEO), try timeout(ZMQ_RCVTIMEO))
        let interval = try duration(ZMQ_HEARTBEAT_IVL)
        options.heartbeat =
            try interval == .zero
            ? nil
            : .init(
                interval: interval, timeout: duration(ZMQ_HEARTBEAT_TIMEOUT),
                timeToLive: duration(ZMQ_HEARTBEAT_TTL))
        options.tcpKeepAlive =
            try read(ZMQ_TCP_KEEPALIVE, name: "keep-alive") != 1
            ? nil
            : .init(
                idle: .seconds(read(ZMQ_TCP_KEEPALIVE_IDLE, name: "idle")),
                interval: .seconds(read(ZMQ_TCP_KEEPALIVE_INTVL, name: "interval")),
                count: Int(read(ZMQ_TCP_KEEPALIVE_CNT, name: "count")))
        return options
    }

    func readWide(_ option: Int32) throws(BusError) -> Int64 {
        var (value, size) = (Int64(0), MemoryLayout<Int64>.size)
        try check(zmq_getsockopt(handle, option, &value, &size), "read option \(option)")
        return value
    }

    private func duration(_ option: Int32) throws(BusError) -> Duration {
        .milliseconds(try read(option, name: "option \(option)"))
    }

    /// A timeout; nil for libzmq's -1, no limit.
    private func timeout(_ option: Int32) throws(BusError) -> Duration? {
        let value = try duration(option)
        return value < .zero ? nil : value
    }
}

/// Checks repeatedly until a condition holds, for at most ten seconds.
func awaitThat(_ isSo: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while try !isSo() {
        guard ContinuousClock.now < deadline else { throw NothingReceived() }
    }
}

extension Fixture {
    /// A socket bound to a port of this machine that the system chose, and its endpoint.
    static func bound(
        _ kind: SocketKind, options: SocketOptions? = nil
    ) throws -> (socket: Socket, endpoint: Endpoint) {
        let socket = try Self.socket(kind, boundTo: .tcp(host: "127.0.0.1", port: 0), options: options)
        guard let endpoint = try socket.lastEndpoint else { throw NothingReceived() }
        return (socket, endpoint)
    }
}

/// A tcp server whose bytes the test writes itself.
enum RawServer {
    /// A socket that listens at a port of this machine.
    ///
    /// - Parameter backlog: The connections, less one, that the system accepts before the test does.
    static func listen(backlog: Int32 = 8) throws -> (descriptor: Int32, endpoint: Endpoint) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, backlog) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isListening else { throw SystemFailure(errno: errno) }
        return (descriptor, try .tcp(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port)))
    }
}

extension RawConnection {
    /// Waits until the other side has read all that was written, over ipc.
    func awaitAccepted() throws {
        try awaitThat {
            var rest: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &rest) == 0 else { throw SystemFailure(errno: errno) }
            return rest == 0
        }
    }
}

extension Socket {
    /// The next message that arrives while another socket is being used; nil if none arrives in time.
    ///
    /// libzmq completes what a connection needs of its socket, such as its subscriptions, only when that
    /// socket is used. Messages to the other one are dropped.
    func next(using other: Socket, within limit: Duration = .seconds(10)) throws -> [[UInt8]]? {
        let deadline = ContinuousClock.now + limit
        var frames = Frames()
        repeat {
            _ = try other.receive(into: &frames)
            if try receive(into: &frames) { return frames.arrays }
            var items = [self, other].map {
                zmq_pollitem_t(socket: $0.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
            }
            zmq_poll(&items, 2, Int((deadline - .now).wholeMilliseconds))
        } while ContinuousClock.now < deadline
        return nil
    }
}
