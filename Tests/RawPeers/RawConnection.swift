package import Bus
import Glibc
import SystemPackage

/// A tcp or ipc connection whose bytes the test writes itself, for peers that follow no protocol.
///
/// Every wait ends after a timeout.
package final class RawConnection {
    package let descriptor: Int32

    /// Connects to a port of an IPv4 address, or to a path.
    ///
    /// - Parameter timeout: The seconds of each wait at most.
    package convenience init(to endpoint: Endpoint, timeout: Int = 10) throws {
        try self.init(for: endpoint, timeout: timeout)
        try connect(to: endpoint)
    }

    /// Has a descriptor, and is not connected yet.
    package init(for endpoint: Endpoint, timeout seconds: Int = 10) throws {
        descriptor = socket(endpoint.ipcPath == nil ? AF_INET : AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
    }

    /// Connects a connection that was only created.
    package func connect(to endpoint: Endpoint) throws {
        guard try Self.connect(descriptor, to: endpoint) == 0 else { throw Errno(rawValue: errno) }
    }

    private static func connect(_ descriptor: Int32, to endpoint: Endpoint) throws -> Int32 {
        if let path = endpoint.ipcPath {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
            return connect(descriptor, to: &address)
        }
        let place = endpoint.description.dropFirst("tcp://".count).split(separator: ":")
        var address = sockaddr_in()
        guard place.count == 2, let port = UInt16(place[1]),
            inet_pton(AF_INET, String(place[0]), &address.sin_addr) == 1
        else { throw Errno.invalidArgument }
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
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
    package func shakeHands(as socketType: String) throws {
        try write(ZMTP.greeting + ZMTP.ready(socketType))
        // libzmq's greeting, then its READY: a command of at most 255 bytes.
        _ = try readExactly(ZMTP.greeting.count)
        let length = try readExactly(2)[1]
        _ = try readExactly(Int(length))
    }

    /// Writes all of it.
    package func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Errno(rawValue: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads a number of bytes and drops them.
    package func read(bytes count: Int) throws {
        _ = try readExactly(count)
    }

    /// Waits until libzmq has read everything that was written.
    ///
    /// The first answer may overtake the messages before it, the second cannot.
    package func awaitQueued() throws {
        for _ in 0..<2 {
            try write(ZMTP.ping)
            _ = try readExactly(ZMTP.pong.count)
        }
    }

    /// Reads that number of bytes.
    package func readExactly(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else {
            throw Errno(rawValue: errno)
        }
        return bytes
    }

    /// Reads until the other side disconnects.
    ///
    /// - Throws: An error if it does not within the timeout.
    package func awaitHangUp() throws {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return }
            guard count > 0 else { throw Errno(rawValue: errno) }
        }
    }

    /// Whether the other side has disconnected.
    package var isHungUp: Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var count = 1
        while count > 0 { count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) }
        return count == 0 || errno != EAGAIN
    }
}
