public import FleetProtocol

/// Requests of operators of all cells, who present the token that follows from the cells' secret.
extension ServiceClient {
    /// Returns the status of the cell.
    public func cellStatus(
        as credentials: Credentials, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> CellStatus {
        let reply = try await request(CellRequest.status, as: credentials, timeout: timeout)
        guard case .status(let status) = reply else { throw .unexpectedReply }
        return status
    }

    /// Returns all accounts of the cell, in alphabetical order.
    public func accounts(
        as credentials: Credentials, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> [AccountRow] {
        try await collect(atMost: Limits.controllerAccounts) { (rows: [AccountRow]) throws(FleetError) in
            let query = CellRequest.accounts(after: rows.last?.account)
            let reply = try await request(query, as: credentials, timeout: timeout)
            guard case .accounts(let page) = reply else { return nil }
            return (page.accounts, page.isLast)
        }
    }

    /// Moves an account from the cell to another one.
    ///
    /// An order may be repeated: if the account has been moved, the reply is the same.
    ///
    /// - Throws: Also `refused` with `moved` if a third cell has the account, and with `busy` or `notAllowed`
    ///   if the account stays.
    public func move(
        _ order: AccountMoveOrder, as credentials: Credentials, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) {
        let reply = try await request(CellRequest.move(order), as: credentials, timeout: timeout)
        guard case .moved(order.account, to: order.target) = reply else { throw .unexpectedReply }
    }

    /// Creates an account with its first user, an owner.
    ///
    /// It is sent once: after `noReply`, ``accounts(as:timeout:)`` shows whether the account was created.
    ///
    /// - Throws: Also `refused` with `invalid` for an account or an email that a cell has.
    public func create(
        _ creation: AccountCreation, as credentials: Credentials, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) {
        let reply = try await request(CellRequest.create(creation), as: credentials, timeout: timeout)
        guard case .created(creation.account) = reply else { throw .unexpectedReply }
    }
}
