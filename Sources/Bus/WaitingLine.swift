/// Tasks that wait at a socket, first come, first served; each leaves once.
///
/// It belongs to the thread of a loop, and so to the actor that has it.
final class WaitingLine<Request, Value: Sendable> {
    private struct Waiter {
        let request: Request
        let continuation: CheckedContinuation<Value?, any Error>
    }

    private var waiters: [UInt64: Waiter] = [:]

    /// Nobody with a lower number waits.
    private var firstNumber: UInt64 = 1
    private var lastNumber: UInt64 = 0

    /// The tasks that wait.
    var count: Int { waiters.count }

    /// Whether nobody waits.
    var isEmpty: Bool { waiters.isEmpty }

    /// A place at the end, to wait at and to leave from.
    func makePlace() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Takes the place of a task that waits until served, or until it leaves.
    ///
    /// - Parameter continuation: Resumed with what the task was served with, or nil when it waited long
    ///   enough.
    func enter(_ place: UInt64, with request: Request, _ continuation: CheckedContinuation<Value?, any Error>)
    {
        waiters[place] = Waiter(request: request, continuation: continuation)
    }

    /// Serves in order for as long as the attempt gives a value; one that throws is that waiter's alone.
    func serve(_ attempt: (Request) throws -> Value?) {
        while let (place, request) = first() {
            let result = Result { try attempt(request) }
            if case .success(nil) = result { return }
            leave(place, with: result)
        }
    }

    /// Takes a waiter out, if it is still there.
    func leave(_ place: UInt64, with result: Result<Value?, any Error>) {
        waiters.removeValue(forKey: place)?.continuation.resume(with: result)
    }

    /// Takes everybody out.
    func end(throwing error: BusError) {
        while let (place, _) = first() { leave(place, with: .failure(error)) }
    }

    private func first() -> (place: UInt64, request: Request)? {
        guard !waiters.isEmpty else { return nil }
        while waiters[firstNumber] == nil { firstNumber += 1 }
        return waiters[firstNumber].map { (firstNumber, $0.request) }
    }
}
