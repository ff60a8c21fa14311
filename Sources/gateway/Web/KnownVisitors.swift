import FleetClient
import FleetProtocol
import Synchronization

/// Whom tokens stood for when the controller was asked last.
final class KnownVisitors: Sendable {
    /// Visitors that are kept; with one more it begins anew.
    private static let visitorsAtMost = 4_096

    private let visitors = Mutex<[[UInt8]: Access.Visitor]>([:])

    /// Whom a token stood for, where the gateway still follows their account.
    func visitor(with token: Token) -> Access.Visitor? {
        visitors.withLock { $0[token.bytes] }.flatMap { $0.mirror.hasEnded ? nil : $0 }
    }

    func note(_ visitor: Access.Visitor) {
        visitors.withLock {
            // Whoever is new may have taken an account's place; what was known of that one goes with it.
            if $0[visitor.credentials.token.bytes] == nil { $0 = $0.filter { !$0.value.mirror.hasEnded } }
            if $0.count >= Self.visitorsAtMost { $0.removeAll() }
            $0[visitor.credentials.token.bytes] = visitor
        }
    }

    func forget(_ token: Token) {
        visitors.withLock { $0[token.bytes] = nil }
    }
}
