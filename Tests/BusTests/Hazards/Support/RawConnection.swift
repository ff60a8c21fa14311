import Bus
import Glibc

/// A tcp or ipc connection whose bytes the test writes itself, for peers that follow no protocol.
///
/// Every wait ends after ten seconds.
final class RawConnection {
    private let descriptor: Int32

    /// Connects to a port of this machine, or to a path.
    convenience init(to endpoint: Endpoint) throws {
        try self.init(for: endpoint)
        try connect(to: endpoint)
    }

    /// Has a descriptor, and is not connected yet.
    init(for endpoint: Endpoint) throws {
        descriptor = socket(endpoint.ipcPath == nil ? AF_INET : AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure(errno: errno) }
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
    }

    /// Connects a connection that was only created.
    func connect(to endpoint: Endpoint) throws {
        guard try Self.connect(descriptor, to: endpoint) == 0 else { throw SystemFailure(errno: errno) }
    }

    private static func connect(_ descriptor: Int32, to endpoint: Endpoint) throws -> Int32 {
        if let path = endpoint.ipcPath {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
            return connect(descriptor, to: &address)
        }
        let port = endpoint.description.split(separator: ":").last.flatMap { UInt16($0) }
        guard let port else { throw SystemFailure(errno: EINVAL) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return connect(descriptor, to: &address)
    }

    private static func connect<Address>(_ descriptor: Int32, to address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    deinit {
        close(descriptor)
    }

    /// Completes a handshake without security, as a kind of socket.
    func shakeHands(as socketType: String) throws {
        try write(ZMTP.greeting + ZMTP.ready(socketType))
        // libzmq's greeting, then its READY: a command of at most 255 bytes.
        _ = try readExactly(ZMTP.greeting.count)
        let length = try readExactly(2)[1]
        _ = try readExactly(Int(length))
    }

    /// Writes all of it.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SystemFailure(errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads a number of bytes and drops them.
    func read(bytes count: Int) throws {
        _ = try readExactly(count)
    }

    /// Waits until the other side has read all that was written, over ipc.
    func awaitAccepted() throws {
        try awaitThat {
            var rest: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &rest) == 0 else { throw SystemFailure(errno: errno) }
            return rest == 0
        }
    }

    /// Waits until libzmq has read everything that was written.
    ///
    /// The first answer may overtake the messages before it, the second cannot.
    func awaitQueued() throws {
        for _ in 0..<2 {
            try write(ZMTP.ping)
            _ = try readExactly(ZMTP.pong.count)
        }
    }

    /// Reads that number of bytes.
    func readExactly(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else {
            throw SystemFailure(errno: errno)
        }
        return bytes
    }

    /// Reads until the other side disconnects.
    ///
    /// - Throws: An error if it does not within ten seconds.
    func awaitHangUp() throws {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return }
            guard count > 0 else { throw SystemFailure(errno: errno) }
        }
    }

    /// Whether the other side has disconnected.
    var isHungUp: Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var count = 1
        while count > 0 { count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) }
        return count == 0 || errno != EAGAIN
    }
}
