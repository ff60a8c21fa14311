public import FleetProtocol

/// Requests of operators of all cells, whose credentials have the token that follows from the cells' secret.
extension ServiceClient {
    /// Returns the status of the cell.
    public func cellStatus() async throws(FleetError) -> CellStatus {
        let reply = try await request(CellRequest.status)
        guard case .status(let status) = reply else { throw .unexpectedReply }
        return status
    }

    /// Returns all accounts of the cell, in alphabetical order.
    public func accounts() async throws(FleetError) -> [AccountRow] {
        try await collect(atMost: Limits.controllerAccounts) { (rows: [AccountRow]) throws(FleetError) in
            let next = CellRequest.accounts(after: rows.last?.account)
            guard case .accounts(let page) = try await request(next) else { return nil }
            return (page.accounts, page.isLast)
        }
    }

    /// Moves an account from the cell to another one.
    ///
    /// An order may be repeated: if the account has been moved, the reply is the same.
    ///
    /// - Throws: Also `refused` with `moved` if a third cell has the account, and with `busy` or `notAllowed`
    ///   if the account stays.
    public func move(_ order: AccountMoveOrder) async throws(FleetError) {
        let reply = try await request(CellRequest.move(order))
        guard case .moved(order.account, to: order.target) = reply else { throw .unexpectedReply }
    }

    /// Creates an account with its first user, an owner.
    ///
    /// It is sent once: after `noReply`, ``accounts()`` shows whether the account was created.
    ///
    /// - Throws: Also `refused` with `invalid` for an account or an email that a cell has.
    public func create(_ creation: AccountCreation) async throws(FleetError) {
        let reply = try await request(CellRequest.create(creation))
        guard case .created(creation.account) = reply else { throw .unexpectedReply }
    }
}
