import ControllerCore
import FleetProtocol
import FleetTime

/// A client of the controller.
struct Customer {
    var connection: ConnectionID
    /// The life that its connection leads to; nil while it has none.
    var life: Int?
    let account: AccountID
    let digest: TokenDigest
    /// How far its wall clock is from the true time: its ids carry it.
    let clockError: Duration
    var cable = Cable()
}
