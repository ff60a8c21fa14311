import GatewayCore
import HummingbirdCore
import NIOCore
import Synchronization

/// The open connections: when there are too many, one gives way to a newcomer.
final class OpenConnections: Sendable {
    /// The place of one open connection.
    struct Place: Sendable {
        fileprivate let id: ConnectionTable<String>.ID
        fileprivate let connections: OpenConnections

        /// A request of it has arrived.
        func becameBusy() { connections.state.withLock { $0.table.becameBusy(id) } }

        /// The answer has begun.
        func beganSending() { connections.state.withLock { $0.table.beganSending(id) } }

        /// Every request of it has been answered.
        func becameIdle() { connections.state.withLock { $0.table.becameIdle(id) } }
    }

    private struct State {
        var table: ConnectionTable<String>
        var channels: [ConnectionTable<String>.ID: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let proxies: [IPNetwork]

    /// - Parameter proxies: Their connections carry many clients, and are not bounded by address.
    init(atMost connections: Int, trusting proxies: [IPNetwork]) {
        state = Mutex(
            State(
                table: ConnectionTable(
                    connectionsAtMost: connections, perAddress: WebLimits.perAddress(of: connections))))
        self.proxies = proxies
    }

    /// Gives a connection a place, if need be that of another; nil where all others await their answers.
    func open(_ channel: any Channel) -> Place? {
        let peer = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        let address = peer.flatMap { peer in
            proxies.contains { $0.contains(peer) } ? nil : peer.subscriber
        }
        let (id, leaving) = state.withLock { state -> (ConnectionTable<String>.ID?, (any Channel)?) in
            guard case .accepted(let id, let closing) = state.table.open(from: address) else {
                return (nil, nil)
            }
            state.channels[id] = channel
            return (id, closing.flatMap { state.channels.removeValue(forKey: $0) })
        }
        if let leaving { Self.end(leaving) }
        guard let id else { return nil }
        channel.closeFuture.whenComplete { [self] _ in
            state.withLock { state in
                state.table.close(id)
                state.channels[id] = nil
            }
        }
        return Place(id: id, connections: self)
    }

    /// Ends a connection without a farewell: over TLS its peer would have seconds to answer it.
    static func end(_ channel: any Channel) {
        channel.eventLoop.execute {
            let beforeTLS = try? channel.pipeline.syncOperations.context(handlerType: UnreadAnswers.self)
            if let beforeTLS { beforeTLS.close(promise: nil) } else { channel.close(promise: nil) }
        }
    }
}

/// Stops accepting while too many ended connections still hold their descriptors.
struct AcceptedConnections: AvailableConnectionsDelegate {
    let atMost: Int
    private var count = 0

    init(atMost: Int) {
        self.atMost = atMost
    }

    mutating func connectionOpened() { count += 1 }

    mutating func connectionClosed() { count -= 1 }

    func isAcceptingNewConnections() -> Bool { count < atMost }
}
