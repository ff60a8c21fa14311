import ControllerCore
import FleetProtocol
import ProcessSupport

extension CellConfiguration {
    /// The configuration of a controller that is a cell of a list.
    ///
    /// - Parameters:
    ///   - moves: What earlier runs have stored of moves.
    ///   - storesRequests: Whether requests are stored.
    init(
        _ own: OwnCell, in list: CellList, with secret: CellSecret, _ moves: StoredMoves, storesRequests: Bool
    ) {
        self.init(
            own: own.name, others: list.cells.map(\.name).filter { $0 != own.name },
            digest: PasswordHasher.digest(of: secret.token), hash: secret.hash)
        (self.moves, self.storesRequests) = (moves, storesRequests)
    }
}
