import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

/// A store that is opened repeatedly, once for each run of the controller.
struct StoreBench {
    static let now = WallTime(unixMilliseconds: 1_800_000_000_000)

    let directory: TemporaryDirectory
    var path: String { directory.path + "/controller.sqlite" }

    init() throws { directory = try TemporaryDirectory() }

    /// The store, for the next run.
    func open() throws -> Store {
        let store = try Store(path: path, durability: .process)
        _ = try store.beginEpoch(at: Self.now)
        return store
    }
}
