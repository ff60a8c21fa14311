import FleetProtocol
import FleetTime
import Glibc
import ProcessSupport
import TestSupport

/// A way in which one peer uses up a fleet's resources.
enum Greed: String, CaseIterable {
    /// Requests large replies, and reads none.
    case notReading
    /// Requests large replies, and reads a little of them.
    case slowReading
    /// Sends frames of one message without an end.
    case endlessFrames
    /// Sends one subscription after another.
    case subscriptions
    /// Sends requests whose `oneof` is split into parts, half of its bytes in the first.
    case splitOneofs
    /// Sends frames of the maximum size.
    case largeFrames
    /// Sends 120,000 requests without a session over each of twelve connections, and closes them.
    case hasty

    /// The socket that it besieges.
    var sockets: [String] {
        switch self {
        case .notReading, .slowReading, .splitOneofs: ["clients"]
        case .endlessFrames, .largeFrames, .hasty: ["clients", "devices", "telemetry", "supervisor"]
        case .subscriptions: ["stream"]
        }
    }

    /// Simultaneous connections to one socket.
    private var connections: Int { self == .hasty ? 12 : 1 }

    /// Attacks a socket until the siege is over, and reconnects whenever the connection ends.
    ///
    /// - Returns: The number of bytes that the socket accepted.
    func attack(
        _ socket: String, in directory: String, token: Token, until isOver: () -> Bool
    ) throws -> Int {
        let path = "\(directory)/\(socket).sock"
        let start = RawPeer.greeting + RawPeer.ready(Self.kind(of: socket), routingID: [])
        // Making bytes is slow in a debug build: only subscriptions, which must differ, are made each time.
        let same = self == .subscriptions ? nil : burst(0, token: token)
        var (bytes, round) = (0, 0)
        while !isOver() {
            let peers = try (0..<connections).map { _ in try RawPeer.connection(to: path) }
            defer { peers.forEach { close($0) } }
            guard peers.allSatisfy({ RawPeer.shakeHands(start, over: $0) }) else { continue }
            // A hasty peer closes each connection after some time; others keep theirs until they are refused.
            var rest = self == .hasty ? 120 : Int.max
            var isOpen = true
            while isOpen, rest > 0, !isOver() {
                (round, rest) = (round + 1, rest - 1)
                let burst = same ?? burst(round, token: token)
                for peer in peers {
                    let sent = Self.send(burst, over: peer)
                    bytes += max(0, sent)
                    isOpen = isOpen && sent >= 0
                    if self == .slowReading { Self.readSome(of: peer) }
                }
            }
        }
        return bytes
    }

    /// The bytes of one burst.
    private func burst(_ round: Int, token: Token) -> [UInt8] {
        switch self {
        case .notReading, .slowReading:
            let bodies: [ClientRequest.Body] = [
                .snapshot(cursor: 0), .logbook(.posts(PostPull())), .history(back: .seconds(60), cursor: 0),
                .status,
            ]
            let requests = bodies.flatMap {
                Self.delimited(ClientRequest(correlation: 1, token: token, body: $0).wireBytes)
            }
            return RawPeer.repeated(25) { requests }
        case .endlessFrames:
            return RawPeer.repeated(10_000) { RawPeer.frame([], hasMore: true) }
        case .subscriptions:
            return (0..<100).reduce(into: []) { bytes, number in
                let topic = Array("u/\(round * 100 + number)/".utf8)
                bytes += RawPeer.frame([1] + topic + [UInt8](repeating: 7, count: 40))
            }
        case .splitOneofs:
            let long = RawMessage().bytes(12, RawPeer.repeated(3_500) { [0x08, 1] }).bytes
            let parts = RawPeer.repeated(4_500) { RawMessage().bytes(12, []).bytes }
            return Self.delimited(RawMessage.version(1).varint(2, 7).bytes + long + parts)
        case .largeFrames:
            return RawPeer.repeated(4) { Self.delimited([UInt8](repeating: 7, count: 65_000)) }
        case .hasty:
            let request = ClientRequest(correlation: 1, token: nil, body: .snapshot(cursor: 0))
            return RawPeer.repeated(1_000) { Self.delimited(request.wireBytes) }
        }
    }

    private static func delimited(_ payload: [UInt8]) -> [UInt8] {
        RawPeer.frame([], hasMore: true) + RawPeer.frame(payload)
    }

    private static func kind(of socket: String) -> String {
        switch socket {
        case "telemetry": "PUB"
        case "stream": "SUB"
        default: "DEALER"
        }
    }

    /// Sends all of it; returns the number of bytes sent, or -1 if the connection has ended.
    ///
    /// It gives up after two seconds in which the other side reads nothing.
    private static func send(_ bytes: [UInt8], over socket: Int32) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EAGAIN { return sent }
            guard count > 0 else { return -1 }
            sent += count
        }
        return sent
    }

    /// Reads some kilobytes, if available.
    private static func readSome(of socket: Int32) {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        _ = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    }
}
