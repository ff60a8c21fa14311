import FleetProtocol
import Testing

@testable import gateway

@Suite("Times at which a gateway reads the sites")
struct SiteReadingTests {
    @Test("sites are read at the start and then once a second, never during another reading")
    func once() {
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        var reading = SiteReading()
        #expect(reading.isDue(at: start) && reading.nextDue == nil)
        let began = reading.begin(at: start)
        #expect(began)
        #expect(!reading.isDue(at: start.advanced(by: .seconds(5))) && reading.nextDue == nil)
        let beganAgain = reading.begin(at: start.advanced(by: .seconds(5)))
        #expect(!beganAgain)
        reading.end()
        #expect(reading.nextDue == start.advanced(by: .seconds(1)))
        #expect(!reading.isDue(at: start.advanced(by: .milliseconds(999))))
        #expect(reading.isDue(at: start.advanced(by: .seconds(1))))
    }
}
