import ControllerCore
import FleetProtocol
import FleetTime

/// A client of the controller: its account and its connection.
struct Client {
    let account: AccountID
    /// Its session; nil for an account client, which has several.
    var digest: TokenDigest?
    /// The error of its wall clock, which its request IDs carry.
    var clockError = Duration.zero
    private(set) var connection: ConnectionID
    /// The controller process that the connection leads to; nil without one.
    var controller: Int?

    init(
        account: AccountID, digest: TokenDigest?, clockError: Duration = .zero, connection: ConnectionID
    ) {
        (self.account, self.digest, self.clockError) = (account, digest, clockError)
        self.connection = connection
    }

    mutating func connect(_ connection: ConnectionID, to controller: Int) {
        (self.connection, self.controller) = (connection, controller)
    }
}
