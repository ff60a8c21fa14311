/// Somebody who reads the updates of one account.
struct StreamReader: Sendable {
    /// The account's topic, which each of its updates begins with.
    let topic: [UInt8]
    /// For how long the stream may be left alone after a reading.
    let pause: Duration
    let feed: StreamUpdates.Feed
}
