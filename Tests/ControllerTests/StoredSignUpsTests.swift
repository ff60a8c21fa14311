import ControllerCore
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("The stored allowance of sign-ups")
struct StoredSignUpsTests {
    @Test("the newest sign-up allowance is in the store after it is opened again, and none before sign-ups")
    func persisted() throws {
        let directory = try TemporaryDirectory()
        let now = WallTime(unixMilliseconds: 1_800_000_000_000)
        func open() throws -> Store {
            let store = try Store(path: directory.path + "/controller.sqlite", durability: .process)
            _ = try store.beginEpoch(at: now)
            return store
        }
        #expect(try open().signUpsWholeAt() == nil)
        let newest = now.advanced(by: .seconds(20))
        try open().append([
            .access(.signUpsSpent(wholeAt: now)), .access(.signUpsSpent(wholeAt: newest)),
        ])
        #expect(try open().signUpsWholeAt() == newest)
    }
}
