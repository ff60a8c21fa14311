import Testing

@testable import FleetClient

@Suite("Correlation")
struct CorrelationTests {
    @Test("a correlation is unchanged by its wire form", arguments: [1, 2, 4_096, UInt64.max >> 1])
    func roundTrip(number: UInt64) {
        for isCancel in [false, true] {
            let correlation = Correlation(number, isCancel: isCancel)
            #expect(Correlation(wireValue: correlation.wireValue) == correlation)
            #expect(correlation.wireValue != 0)
        }
    }
}
