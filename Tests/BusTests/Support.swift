import Bus
import Glibc
import Synchronization

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

    /// Two connected sockets, the first of them bound.
    static func pair(
        _ bound: SocketKind, _ connected: SocketKind,
        boundOptions: SocketOptions? = nil, connectedOptions: SocketOptions? = nil
    ) throws(BusError) -> (bound: Socket, connected: Socket) {
        let endpoint = try inproc()
        let first = try Socket(bound, context: context, options: boundOptions)
        let second = try Socket(connected, context: context, options: connectedOptions)
        try first.bind(endpoint)
        try second.connect(endpoint)
        return (first, second)
    }
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
