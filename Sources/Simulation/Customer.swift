import ControllerCore
import FleetProtocol

/// A client of the controller.
struct Customer {
    var connection: ConnectionID
    /// The life that its connection leads to; nil while it has none.
    var life: Int?
    let account: AccountID
    let digest: TokenDigest
}
