import FleetTime
import ProcessSupport
import Testing

@Suite("A budget of lines")
struct LineBudgetTests {
    @Test("is spent, then leaves lines out until the second is over, and says how many those were")
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
