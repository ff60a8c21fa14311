import ControllerCore
import FleetProtocol

/// A client of the controller.
struct Customer {
    let connection: ConnectionID
    let account: AccountID
    let digest: TokenDigest
}
