import NIOCore
import Runtime
import Stepping
import Synchronization
import Testing

@testable import gateway

@Suite("The metrics that were measured last")
final class MetricsPageTests: Sendable {
    /// Time that a test moves.
    private final class Clock: Sendable {
        private let passed = Mutex(Duration.zero)
        private let start = SystemClock().now()

        var now: Moment { start.advanced(by: passed.withLock { $0 }) }

        func advance(by time: Duration) { passed.withLock { $0 += time } }
    }

    private let clock = Clock()
    private let measurements = Mutex(0)

    private func measure() -> ByteBuffer {
        let number = measurements.withLock { count in
            count += 1
            return count
        }
        return ByteBuffer(string: "\(number)")
    }

    @Test("those who ask during a measurement get it, and one measurement serves all of them")
    func coalesced() async {
        let page = MetricsPage(clock: { [clock] in clock.now })
        let (hasBegun, begin) = AsyncStream.makeStream(of: Void.self)
        let (mayEnd, end) = AsyncStream.makeStream(of: Void.self)
        let texts = await withTaskGroup { group in
            group.addTask {
                await page.text {
                    begin.finish()
                    for await _ in mayEnd {}
                    return self.measure()
                }
            }
            for await _ in hasBegun {}
            for _ in 0..<100 { group.addTask { await page.text { self.measure() } } }
            end.finish()
            return await group.reduce(into: [String]()) { $0.append(String(buffer: $1)) }
        }
        #expect(texts == Array(repeating: "1", count: 101))
    }

    @Test("a measurement is given for a second from its beginning, and then there is another")
    func aged() async {
        let page = MetricsPage(clock: { [clock] in clock.now })
        #expect(await String(buffer: page.text { self.measure() }) == "1")
        clock.advance(by: .milliseconds(999))
        #expect(await String(buffer: page.text { self.measure() }) == "1")
        clock.advance(by: .milliseconds(1))
        #expect(await String(buffer: page.text { self.measure() }) == "2")
    }
}
