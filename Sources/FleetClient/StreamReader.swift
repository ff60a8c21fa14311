import FleetProtocol

/// Somebody who reads the updates of one account.
struct StreamReader: Sendable {
    let account: AccountID
    /// For how long the stream may be left alone after a reading.
    let pause: Duration
    let feed: StreamUpdates.Feed
}
