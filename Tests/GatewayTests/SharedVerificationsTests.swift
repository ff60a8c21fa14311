import FleetClient
import FleetProtocol
import Synchronization
import Testing

@testable import gateway

@Suite("Verifications that requests share")
struct SharedVerificationsTests {
    /// Verifications that end when the test says so, each with a number.
    private final class Controller: Sendable {
        private let state = Mutex((begun: 0, waiting: [CheckedContinuation<Void, Never>]()))

        var begun: Int { state.withLock { $0.begun } }

        func verify(_ token: CellToken) async -> SharedVerifications.Result {
            let number = state.withLock { state in
                state.begun += 1
                return state.begun
            }
            await withCheckedContinuation { one in state.withLock { $0.waiting.append(one) } }
            return .failure(.unavailable("\(number)"))
        }

        /// Ends the verification under way, which is this one.
        func end(_ number: Int) async {
            while true {
                if begun == number, let one = state.withLock({ $0.waiting.popLast() }) { return one.resume() }
                await Task.yield()
            }
        }
    }

    private final class Results: Sendable {
        private let numbers = Mutex<[String: String]>([:])

        func note(_ name: String, _ result: SharedVerifications.Result) {
            guard case .failure(.unavailable(let number)) = result else { return }
            numbers.withLock { $0[name] = number }
        }

        func all(_ count: Int) async -> [String: String] {
            while numbers.withLock({ $0.count }) < count { await Task.yield() }
            return numbers.withLock { $0 }
        }
    }

    @Test("a request gets no result of a verification that began before it", .timeLimit(.minutes(1)))
    func sharing() async throws {
        let (shared, controller, results) = (SharedVerifications(), Controller(), Results())
        let token = CellToken(try #require(Token([UInt8](repeating: 1, count: 32))), in: nil)
        let other = CellToken(try #require(Token([UInt8](repeating: 2, count: 32))), in: nil)
        func ask(_ name: String, _ token: CellToken) {
            shared.verify(token, by: { await controller.verify($0) }, then: { results.note(name, $0) })
        }
        ask("first", token)
        while controller.begun < 1 { await Task.yield() }
        for name in ["second", "third"] { ask(name, token) }
        await controller.end(1)
        await controller.end(2)
        #expect(await results.all(3) == ["first": "1", "second": "2", "third": "2"])
        ask("fourth", other)
        await controller.end(3)
        #expect(await results.all(4)["fourth"] == "3")
        #expect(controller.begun == 3)
    }
}
