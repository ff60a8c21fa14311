public import FleetClient

extension CellConnections {
    /// Finds the sockets of cells, for a client that follows its account.
    ///
    /// It reads the list again for a cell that is not in it.
    public var locator: FleetClient.CellLocator {
        { name in
            var cells = self
            do throws(RuntimeError) {
                if !cells.knows(name) { try cells.reload() }
                return try cells.connection(to: name).clientEndpoints
            } catch {
                // The client's request is refused with `moved`, which names the cell.
                return nil
            }
        }
    }
}
