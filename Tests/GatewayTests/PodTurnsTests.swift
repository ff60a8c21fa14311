import FleetProtocol
import ProcessSupport
import Synchronization
import Testing

@testable import gateway

@Suite("The queue of changes of one pod")
struct PodTurnsTests {
    private static let device = DeviceID(fleetSeed: 1, index: 0)
    private static let timeout: Duration = .seconds(30)

    /// The numbers of the executed changes, in order, and the maximum at the same time.
    private final class Record: Sendable {
        private let values = Mutex((served: [Int](), now: 0, most: 0))

        var served: [Int] { values.withLock { $0.served } }
        var most: Int { values.withLock { $0.most } }

        func began(_ number: Int) {
            values.withLock {
                $0.served.append(number)
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
        }

        func ended() { values.withLock { $0.now -= 1 } }
    }

    @Test("every change of a pod is executed in arrival order, within the limit", .timeLimit(.minutes(1)))
    func order() async throws {
        let turns = PodTurns()
        let count = 40
        let record = Record()
        for _ in 0..<PodTurns.atOnce { #expect(await turns.acquire(of: Self.device, within: Self.timeout)) }
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    guard await turns.acquire(of: Self.device, within: Self.timeout) else { return }
                    record.began(number)
                    record.ended()
                    turns.leave(Self.device)
                }
                while turns.waiting(for: Self.device) <= number { await Task.yield() }
            }
            // One place is free, so the changes are executed one at a time.
            turns.leave(Self.device)
        }
        #expect(record.served == Array(0..<count))
        #expect(record.most == 1)
        for _ in 1..<PodTurns.atOnce { turns.leave(Self.device) }
        #expect(turns.waiting(for: Self.device) == 0)
        #expect(await turns.acquire(of: Self.device, within: .zero), "all changes have ended")
    }

    @Test("changes of one pod do not delay changes of another")
    func others() async {
        let turns = PodTurns()
        for _ in 0..<PodTurns.atOnce { #expect(await turns.acquire(of: Self.device, within: Self.timeout)) }
        #expect(await turns.acquire(of: DeviceID(fleetSeed: 1, index: 1), within: Self.timeout))
    }

    @Test("a change is dropped after its deadline or cancellation, and the next one is executed")
    func givenUp() async {
        let turns = PodTurns()
        for _ in 0..<PodTurns.atOnce { #expect(await turns.acquire(of: Self.device, within: Self.timeout)) }
        #expect(await !turns.acquire(of: Self.device, within: .milliseconds(1)))
        let cancelled = Task { await turns.acquire(of: Self.device, within: Self.timeout) }
        while turns.waiting(for: Self.device) < 1 { await Task.yield() }
        let next = Task { await turns.acquire(of: Self.device, within: Self.timeout) }
        while turns.waiting(for: Self.device) < 2 { await Task.yield() }
        cancelled.cancel()
        #expect(await !cancelled.value)
        turns.leave(Self.device)
        #expect(await next.value)
    }
}
