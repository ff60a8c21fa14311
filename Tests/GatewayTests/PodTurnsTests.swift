import FleetProtocol
import Runtime
import Stepping
import Synchronization
import Testing

@testable import gateway

@Suite("Turns of those who change one pod")
struct PodTurnsTests {
    private static let device = DeviceID(fleetSeed: 1, index: 0)
    private static let patience: Duration = .seconds(30)

    @Test("come to everybody, in the order in which they came, and to few at a time", .timeLimit(.minutes(1)))
    func order() async throws {
        let turns = PodTurns()
        let count = 200
        let served = Mutex<[Int]>([])
        let (onTheirWay, most) = (Mutex(0), Mutex(0))
        for _ in 0..<PodTurns.atOnce { #expect(await turns.take(of: Self.device, within: Self.patience)) }
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    guard await turns.take(of: Self.device, within: Self.patience) else { return }
                    let now = onTheirWay.withLock { value in
                        value += 1
                        return value
                    }
                    most.withLock { $0 = max($0, now) }
                    served.withLock { $0.append(number) }
                    onTheirWay.withLock { $0 -= 1 }
                    turns.leave(Self.device)
                }
                while turns.waiting(for: Self.device) <= number { await Task.yield() }
            }
            // One place is left: whoever has it is alone.
            turns.leave(Self.device)
        }
        #expect(served.withLock { $0 } == Array(0..<count))
        #expect(most.withLock { $0 } == 1)
        for _ in 1..<PodTurns.atOnce { turns.leave(Self.device) }
        #expect(turns.waiting(for: Self.device) == 0)
        #expect(await turns.take(of: Self.device, within: .zero), "all of them are over")
    }

    @Test("are one pod's: another's do not wait for them")
    func others() async {
        let turns = PodTurns()
        for _ in 0..<PodTurns.atOnce { #expect(await turns.take(of: Self.device, within: Self.patience)) }
        #expect(await turns.take(of: DeviceID(fleetSeed: 1, index: 1), within: Self.patience))
    }

    @Test("end unheard when the time is over or the request is cancelled, and the next has the turn")
    func givenUp() async {
        let turns = PodTurns()
        for _ in 0..<PodTurns.atOnce { #expect(await turns.take(of: Self.device, within: Self.patience)) }
        #expect(await !turns.take(of: Self.device, within: .milliseconds(1)))
        let cancelled = Task { await turns.take(of: Self.device, within: Self.patience) }
        while turns.waiting(for: Self.device) < 1 { await Task.yield() }
        let next = Task { await turns.take(of: Self.device, within: Self.patience) }
        while turns.waiting(for: Self.device) < 2 { await Task.yield() }
        cancelled.cancel()
        #expect(await !cancelled.value)
        turns.leave(Self.device)
        #expect(await next.value)
    }
}
