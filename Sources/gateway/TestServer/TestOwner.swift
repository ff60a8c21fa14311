import ControllerCore
import ControllerSupport
import FleetClient
import FleetProtocol
import GatewayCore
import ProcessSupport

/// The owner of a test server's account, with a session and a key of Sensibo's API.
struct TestOwner: Sendable {
    /// The longest time between the fleet's date and the machine's, a century.
    private static let longestDifference: Duration = .seconds(100 * 366 * 86_400)

    let session: Session
    let password = String(CellToken(.make(), in: nil).text.prefix(16))
    let token = Token.make()
    let key = Token.make()

    init(of names: DemoNames) {
        session = Session(account: names.account, email: names.email, role: .owner, isOperator: true)
    }

    var credentials: Credentials { Credentials(user: session.email, token: token) }

    /// Adds the user, the session and the key to what a controller starts with.
    func controller(seed: UInt64, at start: WallTime) -> ControllerConfiguration {
        var configuration = ControllerConfiguration(
            epoch: Epoch(1), users: [.init(session: session, passwordHash: password)],
            // Never too old, whatever the clock shows.
            sessions: [.init(digest: token.digest, email: session.email, openedAt: ClockChange.end)],
            seed: seed)
        // The commands of a shell have the machine's date, and the fleet may have any other.
        configuration.retention.idAhead = Self.longestDifference
        configuration.retention.longest = Self.longestDifference
        guard let name = APIKey.Name("test") else { preconditionFailure("test names a key") }
        configuration.keys = [
            .init(
                digest: key.digest,
                key: APIKey(name: name, user: session.email, madeAt: start, scope: .switch))
        ]
        return configuration
    }
}
