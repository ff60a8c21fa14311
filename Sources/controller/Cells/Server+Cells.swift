import Bus
import CellFiles
import ControllerCore
import FleetProtocol
import Logging
import ProcessSupport

/// The connections to other cells, on the server's loop.
extension Server {
    /// A directory for the check of an account that comes from another cell.
    private var moveDirectory: String { directory.path + "/moving" }

    /// Begins to pull the directories of other cells.
    func beginCells() throws {
        try cells?.begin { [self] others in
            network?.registry.set(cells: others)
            step(.cells(others.map(\.name)), at: clock.now())
        } onReply: { [self] cell, correlation, reply in
            step(.cellReply(cell, correlation: correlation, reply), at: clock.now())
        }
    }

    /// Reads or checks rows of an account that is moved; the controller gets the result in the next turn.
    func carryOut(_ work: MoveWork) throws {
        switch work {
        case .read(let move):
            let rows = try store.rows(of: move.account)
            let facts: Logger.Metadata = ["bytes": "\(rows.count)"]
            logger.info("account \(move.account) goes to cell \(move.target)", metadata: facts)
            moveResults.append(.readRows(move, rows))
        case .check(let move, let rows):
            let objection = try store.objection(toAdding: rows, of: move, scratch: moveDirectory)
            let facts: Logger.Metadata = ["bytes": "\(rows.count)", "objection": "\(objection ?? "none")"]
            logger.info("account \(move.account) comes from cell \(move.source)", metadata: facts)
            moveResults.append(.checkedRows(move, objection: objection))
        }
        loop.perform {}
    }

    func handleMoveResults() {
        guard !moveResults.isEmpty else { return }
        let results = moveResults
        moveResults.removeAll()
        for result in results { step(result, at: clock.now()) }
    }
}
