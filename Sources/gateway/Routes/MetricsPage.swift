import NIOCore
import Stepping

/// The latest metrics, for every request within a second.
///
/// A measurement asks the controller and the supervisor, and needs no key. So requests that come during a
/// measurement wait for it, and the gateway measures once at a time and once a second at most.
actor MetricsPage {
    private enum State {
        case unmeasured
        case measuring(waiting: [CheckedContinuation<ByteBuffer, Never>])
        case measured(ByteBuffer, since: MonotonicTime)
    }

    /// How old an answer may be, from the beginning of its measurement on.
    static let age: Duration = .seconds(1)

    private let clock: @Sendable () -> Moment
    private var state = State.unmeasured

    /// A page without a measurement.
    init(clock: @escaping @Sendable () -> Moment) {
        self.clock = clock
    }

    /// The newest text.
    ///
    /// - Parameter measure: Measures again. Later requests do not get the text of a task that was cancelled.
    func text(measuring measure: @Sendable () async -> ByteBuffer) async -> ByteBuffer {
        let now = clock().monotonic
        switch state {
        case .measured(let text, let since) where since.duration(to: now) < Self.age: return text
        case .measuring: return await withCheckedContinuation { wait($0) }
        case .unmeasured, .measured: break
        }
        state = .measuring(waiting: [])
        let text = await measure()
        guard case .measuring(let waiting) = state else {
            preconditionFailure("a measurement ends once, and the page is \(state)")
        }
        state = Task.isCancelled ? .unmeasured : .measured(text, since: now)
        for one in waiting { one.resume(returning: text) }
        return text
    }

    private func wait(_ waiter: CheckedContinuation<ByteBuffer, Never>) {
        guard case .measuring(var waiting) = state else {
            preconditionFailure("no measurement is under way, and the page is \(state)")
        }
        waiting.append(waiter)
        state = .measuring(waiting: waiting)
    }
}
