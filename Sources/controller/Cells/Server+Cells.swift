import CellFiles
import ControllerCore
import ProcessSupport

/// The connections to other cells, on the server's loop.
extension Server {
    /// Begins to pull the directories of other cells.
    func beginCells() throws {
        try cells?.begin { [self] others in
            network?.registry.set(cells: others)
            step(.cells(others.map(\.name)), at: clock.now())
        } onPage: { [self] cell, correlation, page in
            step(.cellPage(cell, correlation: correlation, page), at: clock.now())
        }
    }
}
