import FleetProtocol
import ProcessSupport
import Testing

@Suite("LineBudget")
struct LineBudgetTests {
    @Test("a line budget omits further lines until the second ends, and then returns their number")
    func spend() {
        var budget = LineBudget(linesPerSecond: 2)
        func spend(_ milliseconds: Int) -> Int? {
            budget.spend(at: .zero.advanced(by: .milliseconds(milliseconds)))
        }
        #expect([0, 500, 501, 999].map(spend) == [0, 0, nil, nil])
        #expect([1_000, 1_001, 1_002].map(spend) == [2, 0, nil])
        #expect(spend(2_500) == 1)
    }
}
