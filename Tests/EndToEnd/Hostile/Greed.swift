import FleetProtocol
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

    /// What it does, for a table.
    var text: String {
        switch self {
        case .notReading: "requests large replies and reads none"
        case .slowReading: "requests large replies and reads a little"
        case .endlessFrames: "frames of one message without an end"
        case .subscriptions: "one subscription after another"
        case .splitOneofs: "requests in 4,500 parts of a `oneof`"
        case .largeFrames: "frames of 64 KiB"
        case .hasty: "12 connections of 120,000 requests each, again and again"
        }
    }

    /// The sockets of a fleet that it attacks.
    func sockets(of place: FleetPlace) -> [FleetSocket] {
        switch self {
        case .notReading, .slowReading, .splitOneofs: [.clients]
        case .endlessFrames, .largeFrames, .hasty: place.sockets.filter { $0 != .stream }
        case .subscriptions: [.stream]
        }
    }

    /// Simultaneous connections to one socket.
    private var connections: Int { self == .hasty ? 12 : 1 }

    /// Attacks a socket until the siege is over, and reconnects whenever the connection ends.
    ///
    /// - Returns: The number of bytes that the socket accepted.
    func attack(
        _ socket: FleetSocket, of place: FleetPlace, token: Token, until isOver: () -> Bool
    ) throws -> Int {
        var (bytes, round) = (0, 0)
        // Making bytes is slow in a debug build: only subscriptions, which must differ, are made each time.
        let same = self == .subscriptions ? nil : burst(0, token: token)
        var plain: [UInt8]?
        while !isOver() {
            let peers = (0..<connections).compactMap { _ in
                try? HostilePeer(to: socket, of: place, as: Self.kind(of: socket))
            }
            guard peers.count == connections else { continue }
            // A hasty peer closes each connection after some time; others keep theirs until they are refused.
            var rest = self == .hasty ? 120 : Int.max
            var isOpen = true
            while isOpen, rest > 0, !isOver() {
                (round, rest) = (round + 1, rest - 1)
                let burst = same ?? burst(round, token: token)
                for peer in peers {
                    let encoded = plain ?? peer.bytes(of: burst)
                    if peer.isPlain, same != nil { plain = encoded }
                    let sent = peer.send(encoded)
                    bytes += max(0, sent)
                    isOpen = isOpen && sent >= 0
                    if self == .slowReading { peer.readSome() }
                }
            }
        }
        return bytes
    }

    /// The frames of one burst.
    private func burst(_ round: Int, token: Token) -> [HostilePeer.Frame] {
        switch self {
        case .notReading, .slowReading:
            let bodies: [ClientRequest.Body] = [
                .snapshot(cursor: 0), .logbook(.posts(PostPull())), .history(back: .seconds(60), cursor: 0),
                .status,
            ]
            let requests = bodies.flatMap {
                Self.delimited(ClientRequest(correlation: 1, token: token, body: $0).wireBytes)
            }
            return (0..<25).flatMap { _ in requests }
        case .endlessFrames:
            return Array(repeating: HostilePeer.Frame(content: [], hasMore: true), count: 1_000)
        case .subscriptions:
            return (0..<100).map { number in
                let topic = Array("u/\(round * 100 + number)/".utf8)
                return HostilePeer.Frame(content: [1] + topic + [UInt8](repeating: 7, count: 40))
            }
        case .splitOneofs:
            let long = RawMessage().bytes(12, .repeated(3_500) { [0x08, 1] }).bytes
            let parts = [UInt8].repeated(4_500) { RawMessage().bytes(12, []).bytes }
            return Self.delimited(RawMessage.version(1).varint(2, 7).bytes + long + parts)
        case .largeFrames:
            return (0..<4).flatMap { _ in Self.delimited([UInt8](repeating: 7, count: 65_000)) }
        case .hasty:
            let request = ClientRequest(correlation: 1, token: nil, body: .snapshot(cursor: 0))
            return (0..<1_000).flatMap { _ in Self.delimited(request.wireBytes) }
        }
    }

    private static func delimited(_ payload: [UInt8]) -> [HostilePeer.Frame] {
        [HostilePeer.Frame(content: [], hasMore: true), HostilePeer.Frame(content: payload)]
    }

    private static func kind(of socket: FleetSocket) -> String {
        switch socket {
        case .telemetry: "PUB"
        case .stream: "SUB"
        case .clients, .devices, .join, .supervisor: "DEALER"
        }
    }
}
