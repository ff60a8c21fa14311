import Testing

@testable import controller

@Suite("Stored queues")
struct StoredQueuesTests {
    @Test("commands without a journal are remembered as long as one of them is open")
    func unjournalled() throws {
        let bench = try StoreBench()
        func restores(_ isJournalled: Bool, open isOpen: Bool) throws -> Bool {
            try bench.open().restoresCommands(isJournalled: isJournalled, isCommandOpen: isOpen)
        }
        #expect(try restores(true, open: true))
        #expect(try restores(true, open: true))
        #expect(try !restores(false, open: true))
        // The previous run's commands are in no journal, even if later runs have one.
        #expect(try !restores(true, open: true))
        #expect(try !restores(true, open: true))
        #expect(try restores(true, open: false))
        #expect(try restores(true, open: true))
        #expect(try !restores(false, open: false))
        #expect(try restores(true, open: false))
    }
}
