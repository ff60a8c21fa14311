/// Somebody who reads the updates of one account.
struct StreamReader: Sendable {
    /// The account's topic, which each of its updates begins with.
    let topic: [UInt8]
    let feed: StreamUpdates.Feed
}
