import FleetClient
import FleetProtocol
import Synchronization
import TestSupport

/// Log-ins with right passwords at any cell, as programs do them: they follow `moved`, and retry what was
/// refused as busy or not answered.
///
/// A password that is refused as wrong, and a session in another account or cell, are violations.
final class ClusterLogIns: Sendable {
    /// A user, and where they belong.
    struct User: Sendable {
        let email: Email
        let password: Password
        let account: String
        let cell: String
    }

    /// The results.
    struct Counts: Sendable, CustomStringConvertible {
        var sessions = 0
        var moved = 0
        var busy = 0
        var unanswered = 0
        var slowest = Duration.zero
        var wrong: [String] = []

        var description: String {
            "\(sessions) log-ins, \(moved) led to another cell, \(busy) busy, \(unanswered) unanswered, "
                + "\(wrong.count) wrong, the slowest after \(Int(slowest / .milliseconds(1))) ms"
        }
    }

    private static let clock = ContinuousClock()
    private static let answeredWithin = Duration.seconds(3)
    private static let endedWithin = Duration.seconds(30)

    /// By the name of the cell.
    private let clients: [String: FleetClient]
    private let state = Mutex(Counts())

    init(over clients: [String: FleetClient]) { self.clients = clients }

    var counts: Counts { state.withLock { $0 } }

    /// Logs a user in at a cell, and out again.
    func logIn(_ user: User, at first: String) async {
        let start = Self.clock.now
        var cell = first
        while Self.clock.now - start < Self.endedWithin.slowed {
            guard let client = clients[cell] else { return fail("\(user.email) was led to \(cell)") }
            do throws(FleetError) {
                let (session, token) = try await client.openSession(
                    email: user.email, password: user.password, timeout: Self.answeredWithin.slowed)
                check(session, of: user, at: cell, took: Self.clock.now - start)
                // The session ends later in any case.
                try? await client.closeSession(token, timeout: Self.answeredWithin.slowed)
                return
            } catch {
                switch error {
                case .refused(.moved(let other)):
                    state.withLock { $0.moved += 1 }
                    cell = other.text
                case .refused(.busy(let retryAfter)):
                    state.withLock { $0.busy += 1 }
                    await Pace.wait(min(max(retryAfter, .milliseconds(20)), .seconds(1)))
                    cell = first
                case .noReply, .noController:
                    state.withLock { $0.unanswered += 1 }
                    cell = first
                case .refused, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled,
                    .transport:
                    return fail("\(user.email) at \(cell), asked at \(first): \(error)")
                }
            }
        }
        fail("\(user.email) at \(first) has not logged in within \(Self.endedWithin)")
    }

    private func check(_ session: Session, of user: User, at cell: String, took: Duration) {
        if session.account.name != user.account || session.cell?.text != user.cell || cell != user.cell {
            fail("\(user.email) of \(user.account) in \(user.cell): \(session) at \(cell)")
        }
        state.withLock { counts in
            counts.sessions += 1
            counts.slowest = max(counts.slowest, took)
        }
    }

    private func fail(_ text: String) { state.withLock { $0.wrong.append(text) } }
}
