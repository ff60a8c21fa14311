import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

/// A store that is opened repeatedly, once for each run of the controller, and two accounts.
struct StoredAccounts {
    static let now = WallTime(unixMilliseconds: 1_800_000_000_123)

    let directory: TemporaryDirectory
    let demo: AccountID
    let other: AccountID

    init() throws {
        directory = try TemporaryDirectory()
        demo = try #require(AccountID("demo"))
        other = try #require(AccountID("other"))
    }

    /// The store, for the next run.
    func open() throws -> Store {
        let store = try Store(path: directory.path + "/controller.sqlite", durability: .process)
        _ = try store.beginEpoch(at: Self.now)
        return store
    }
}
