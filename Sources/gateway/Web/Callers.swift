import FleetClient
import FleetProtocol
import Synchronization

/// A cache of the callers that the controller last reported for tokens.
final class CallerCache: Sendable {
    /// The maximum number of callers; the next one empties the cache first.
    private static let callersAtMost = 4_096

    private let callers = Mutex<[[UInt8]: Access.Caller]>([:])

    /// Returns the cached caller with a token; nil after the replica of their account has ended.
    func caller(with token: Token) -> Access.Caller? {
        callers.withLock { $0[token.bytes] }.flatMap { $0.replica.hasEnded ? nil : $0 }
    }

    func store(_ caller: Access.Caller) {
        callers.withLock {
            // The replica of a new caller may have displaced another one: drop callers of ended replicas.
            if $0[caller.credentials.token.bytes] == nil { $0 = $0.filter { !$0.value.replica.hasEnded } }
            if $0.count >= Self.callersAtMost { $0.removeAll() }
            $0[caller.credentials.token.bytes] = caller
        }
    }

    func remove(_ token: Token) { callers.withLock { $0[token.bytes] = nil } }
}

/// Verifications of tokens that requests share. A request joins a verification that begins after it, never
/// one under way, whose result may be older than the request. So the requests of many connections with one
/// key need few verifications.
final class SharedVerifications: Sendable {
    typealias Result = Swift.Result<Access.Caller, Access.Refused>

    private struct Key: Hashable {
        let cell: CellName?
        let token: [UInt8]
    }

    /// The requests that wait for the next verification of each token that is being verified.
    private let waiting = Mutex<[Key: [@Sendable (Result) -> Void]]>([:])

    /// Calls a handler with the result of a verification that begins after this call.
    func verify(
        _ token: CellToken, by verify: @escaping @Sendable (CellToken) async -> Result,
        then handle: @escaping @Sendable (Result) -> Void
    ) {
        let key = Key(cell: token.cell, token: token.token.bytes)
        let isUnderWay = waiting.withLock { waiting in
            let isUnderWay = waiting[key] != nil
            waiting[key, default: []].append(handle)
            return isUnderWay
        }
        guard !isUnderWay else { return }
        Task {
            while let handlers = next(key) {
                let result = await verify(token)
                for handle in handlers { handle(result) }
            }
        }
    }

    /// Returns the requests for the next verification of a token; nil without any, which ends the
    /// verifications.
    private func next(_ key: Key) -> [@Sendable (Result) -> Void]? {
        waiting.withLock { waiting in
            let handlers = waiting[key] ?? []
            waiting[key] = handlers.isEmpty ? nil : []
            return handlers.isEmpty ? nil : handlers
        }
    }
}
