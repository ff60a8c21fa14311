public import FleetClient

extension StoredSession {
    /// The credentials of the session.
    public var credentials: Credentials { Credentials(user: email, token: token) }
}

extension FleetClient {
    /// Uses a session for requests that name none, and connects to its cell.
    public func use(_ session: StoredSession) {
        if let cell = session.cell { connect(to: cell) }
        use(session.credentials)
    }
}
