import Testing

@testable import FleetClient

@Suite("Correlations")
struct CorrelationTests {
    @Test("a correlation comes back from the wire as it went", arguments: [1, 2, 4_096, UInt64.max >> 1])
    func roundTrip(number: UInt64) {
        for isCancel in [false, true] {
            let correlation = Correlation(number, isCancel: isCancel)
            #expect(Correlation(wireValue: correlation.wireValue) == correlation)
            #expect(correlation.wireValue != 0)
        }
    }
}
