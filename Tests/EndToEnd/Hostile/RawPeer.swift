import Glibc
import SystemPackage

/// A peer that writes the bytes of ZMTP 3.0 itself, so that they can be invalid.
enum RawPeer {
    /// Ten bytes of signature, the version 3.0, the mechanism, the role, and zeros.
    static let greeting: [UInt8] =
        [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 0] + padded("NULL", to: 20)
        + [UInt8](repeating: 0, count: 32)

    /// The command that completes a handshake, with a routing ID of the peer's choice.
    static func ready(_ socketType: String, routingID: [UInt8]) -> [UInt8] {
        frame(
            [5] + Array("READY".utf8) + property("Socket-Type", Array(socketType.utf8))
                + property("Identity", routingID), isCommand: true)
    }

    /// A frame of a message, or a command, with its length in eight bytes.
    static func frame(_ content: [UInt8], hasMore: Bool = false, isCommand: Bool = false) -> [UInt8] {
        let flags: UInt8 = 2 | (hasMore ? 1 : 0) | (isCommand ? 4 : 0)
        return [flags] + bigEndian(UInt64(content.count), bytes: 8) + content
    }

    /// The first bytes of a frame with a length that is never reached.
    static func promise(of length: UInt64) -> [UInt8] {
        [2] + bigEndian(length, bytes: 8) + [1, 2, 3]
    }

    /// Repeated bytes.
    ///
    /// Not `flatMap`, which copies byte by byte in an unoptimized build: attackers that compute for
    /// milliseconds at a time delay every process that waits for a processor, whatever the controller does.
    static func repeated(_ count: Int, _ make: () -> [UInt8]) -> [UInt8] {
        (0..<count).reduce(into: []) { bytes, _ in bytes += make() }
    }

    /// Connects, writes, and waits until the other side has read everything and disconnected, for at most two
    /// seconds.
    ///
    /// - Parameter handshake: Bytes that the other side answers with its own handshake before it accepts
    ///   more.
    static func send(_ bytes: [UInt8], after handshake: [UInt8] = [], to path: String) throws {
        let socket = try connection(to: path)
        defer { close(socket) }
        if !handshake.isEmpty { shakeHands(handshake, over: socket) }
        // A peer that was refused halfway gets EPIPE, which is an answer too.
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        shutdown(socket, Int32(SHUT_WR))
        var answer = [UInt8](repeating: 0, count: 4_096)
        while read(socket, &answer, answer.count) > 0 {}
    }

    /// Writes a handshake, and waits until the other side's has arrived.
    ///
    /// libzmq disconnects a peer that sends messages before its own handshake is sent, and reads none of
    /// them.
    ///
    /// - Returns: Whether it has arrived: false if the other side disconnected, or sent nothing for two
    ///   seconds.
    @discardableResult
    static func shakeHands(_ handshake: [UInt8], over socket: Int32) -> Bool {
        _ = Glibc.send(socket, handshake, handshake.count, Int32(MSG_NOSIGNAL))
        var answer = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        // The command that completes the handshake follows the greeting, in one piece.
        while count <= greeting.count {
            let more = read(socket, &answer, answer.count)
            guard more > 0 else { return false }
            count += more
        }
        return true
    }

    /// A connection with a timeout of two seconds; the caller closes it.
    static func connection(to path: String) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Errno(rawValue: errno) }
        var timeout = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            let number = errno
            close(socket)
            throw Errno(rawValue: number)
        }
        return socket
    }

    private static func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
        [UInt8(name.utf8.count)] + Array(name.utf8) + bigEndian(UInt64(value.count), bytes: 4) + value
    }

    private static func padded(_ text: String, to count: Int) -> [UInt8] {
        Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
    }

    private static func bigEndian(_ value: UInt64, bytes: Int) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0.suffix(bytes)) }
    }
}
