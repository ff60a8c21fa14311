import FleetProtocol
import FleetTime
import ProcessSupport
import TestSupport
import Testing

@testable import controller

/// A store that is opened again and again, as one life of the controller follows another, and two accounts.
struct StoredDesk {
    static let now = WallTime(unixMilliseconds: 1_800_000_000_123)

    let directory: TemporaryDirectory
    let demo: AccountID
    let other: AccountID

    init() throws {
        directory = try TemporaryDirectory()
        demo = try #require(AccountID("demo"))
        other = try #require(AccountID("other"))
    }

    /// The store, in a life of its own.
    func open() throws -> Store {
        let store = try Store(path: directory.path + "/controller.sqlite", durability: .process)
        _ = try store.beginEpoch(at: Self.now)
        return store
    }
}
