import Bus
import Glibc
import ProcessSupport
import RawPeers

/// An attacker's connection, whose handshake is complete: over ipc, or encrypted over tcp.
struct HostilePeer {
    /// A frame of a message.
    struct Frame {
        let content: [UInt8]
        var hasMore = false
    }

    /// The seconds that it waits for the other side at most.
    private static let timeout = 2

    let connection: RawConnection
    private let curve: RawCurvePeer?

    /// Connects to a socket of a fleet as a kind of socket.
    ///
    /// - Throws: An error if the other side refuses the connection, or does not answer.
    init(to socket: FleetSocket, of place: FleetPlace, as kind: String) throws {
        let fleet = place[socket]
        let endpoint = try fleet.endpoint(socket)
        guard case .client(let server, let keys) = fleet.security else {
            connection = try RawConnection(to: endpoint, timeout: Self.timeout)
            curve = nil
            try connection.shakeHands(as: kind)
            return
        }
        let peer = try RawCurvePeer(to: endpoint, server: server, keys: keys, timeout: Self.timeout)
        (connection, curve) = (peer.connection, peer)
        try peer.greet()
        try peer.introduce()
        try peer.initiate(as: kind)
    }

    /// Frames as this connection sends them; encrypted ones once only.
    func bytes(of frames: [Frame]) -> [UInt8] {
        frames.reduce(into: []) { bytes, frame in
            bytes +=
                curve?.frame(frame.content, flags: frame.hasMore ? 1 : 0)
                ?? ZMTP.frame(frame.content, hasMore: frame.hasMore)
        }
    }

    /// Whether the same frames always have the same bytes.
    var isPlain: Bool { curve == nil }

    /// Sends all of it; returns the number of bytes sent, or -1 if the connection has ended.
    ///
    /// It gives up after two seconds in which the other side reads nothing.
    func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EAGAIN { return sent }
            guard count > 0 else { return -1 }
            sent += count
        }
        return sent
    }

    /// Reads some kilobytes, if available.
    func readSome() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        _ = recv(connection.descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    }
}

extension RawConnection {
    /// Connects, writes, and waits until the other side has read everything and disconnected, for at most two
    /// seconds.
    ///
    /// - Parameter kind: The kind of socket as which it completes a handshake before; nil for none.
    static func send(_ bytes: [UInt8], as kind: String?, to endpoint: Endpoint) throws {
        let connection = try RawConnection(to: endpoint, timeout: 2)
        do {
            // libzmq disconnects a peer that sends messages before its own handshake is sent.
            if let kind { try connection.shakeHands(as: kind) }
            try connection.write(bytes)
            shutdown(connection.descriptor, Int32(SHUT_WR))
            try connection.awaitHangUp()
        } catch {
            // To be refused halfway, or not to be answered, is an answer too.
        }
    }
}

extension [UInt8] {
    /// Repeated bytes.
    ///
    /// Not `flatMap`, which copies byte by byte in an unoptimized build: attackers that compute for
    /// milliseconds at a time delay every process that waits for a processor, whatever the controller does.
    static func repeated(_ count: Int, _ make: () -> [UInt8]) -> [UInt8] {
        (0..<count).reduce(into: []) { bytes, _ in bytes += make() }
    }
}
