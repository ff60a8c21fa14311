import ControllerCore
import FleetProtocol
import Testing

@testable import controller

@Suite("The stored allowance of sign-ups")
struct StoredSignUpsTests {
    @Test("the newest sign-up allowance is in the store after it is opened again, and none before sign-ups")
    func persisted() throws {
        let bench = try StoreBench()
        let now = StoreBench.now
        #expect(try bench.open().signUpsWholeAt() == nil)
        let newest = now.advanced(by: .seconds(20))
        try bench.open().append([
            .access(.signUpsSpent(wholeAt: now)), .access(.signUpsSpent(wholeAt: newest)),
        ])
        #expect(try bench.open().signUpsWholeAt() == newest)
    }
}
