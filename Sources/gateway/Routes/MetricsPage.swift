import FleetProtocol
import NIOCore
import Stepping

/// The latest measurement, for every request within a second, and its texts.
///
/// A measurement asks the controller and the supervisor, and may need no key. So requests that come during a
/// measurement wait for it, and the gateway measures once at a time and once a second at most. The text for
/// an account, or of all, is written once for each measurement.
actor MetricsPage<Measurement: Sendable> {
    private enum State {
        case unmeasured
        case measuring(waiting: [CheckedContinuation<Latest, Never>])
        case measured(Latest)
    }

    private struct Latest {
        let measurement: Measurement
        let number: UInt64
        let since: MonotonicTime
    }

    /// How old an answer may be, from the beginning of its measurement on.
    static var age: Duration { .seconds(1) }

    private let clock: @Sendable () -> Moment
    private var state = State.unmeasured
    private var lastNumber: UInt64 = 0
    /// The texts of the measurement of that number.
    private var texts: (number: UInt64, of: [AccountID?: ByteBuffer]) = (0, [:])

    /// A page without a measurement.
    init(clock: @escaping @Sendable () -> Moment) {
        self.clock = clock
    }

    /// The newest text for an account, or for nil of all.
    ///
    /// - Parameters:
    ///   - measure: Measures again. Later requests do not get the text of a task that was cancelled.
    ///   - write: Writes what an account may read.
    func text(
        for account: AccountID?, measuring measure: @Sendable () async -> Measurement,
        writing write: @Sendable (Measurement, AccountID?) -> ByteBuffer
    ) async -> ByteBuffer {
        let latest = await latest(measuring: measure)
        if texts.number < latest.number { texts = (latest.number, [:]) }
        guard texts.number == latest.number else { return write(latest.measurement, account) }
        if let text = texts.of[account] { return text }
        let text = write(latest.measurement, account)
        texts.of[account] = text
        return text
    }

    private func latest(measuring measure: @Sendable () async -> Measurement) async -> Latest {
        let now = clock().monotonic
        switch state {
        case .measured(let latest) where latest.since.duration(to: now) < Self.age: return latest
        case .measuring: return await withCheckedContinuation { wait($0) }
        case .unmeasured, .measured: break
        }
        state = .measuring(waiting: [])
        let measurement = await measure()
        guard case .measuring(let waiting) = state else {
            preconditionFailure("a measurement ends once, and the page is \(state)")
        }
        lastNumber += 1
        let latest = Latest(measurement: measurement, number: lastNumber, since: now)
        state = Task.isCancelled ? .unmeasured : .measured(latest)
        for one in waiting { one.resume(returning: latest) }
        return latest
    }

    private func wait(_ waiter: CheckedContinuation<Latest, Never>) {
        guard case .measuring(var waiting) = state else {
            preconditionFailure("no measurement is under way, and the page is \(state)")
        }
        waiting.append(waiter)
        state = .measuring(waiting: waiting)
    }
}
