import FleetProtocol
import ProcessSupport
import Synchronization

/// The clock of a test server: it runs at the machine's speed or is held, and can be moved forwards.
///
/// The fleet has both of its readings. The gateway has its date with the machine's monotonic time, so that
/// its own timeouts do not depend on a test.
final class TestClock: Sendable {
    private struct State {
        /// The reading at the start, from which the date of all later ones is computed.
        var start: Moment
        /// A monotonic reading, and the machine's time at which the clock showed it.
        var reading: MonotonicTime
        var readAt: MonotonicTime
        var isHeld = false

        init(from start: Moment, at real: MonotonicTime) {
            (self.start, reading, readAt) = (start, start.monotonic, real)
        }

        func now(at real: MonotonicTime) -> Moment {
            let time = isHeld ? reading : reading.advanced(by: readAt.duration(to: real))
            return start.advanced(by: start.monotonic.duration(to: time))
        }
    }

    private let machine = SystemClock()
    /// The date at each start; nil for the machine's.
    private let first: WallTime?
    /// The time that passes before each start, so that the date of a start is that of its end.
    let past: Duration
    private let state: Mutex<State>

    /// Creates a clock that begins now, with that date or the machine's, before the time that is past.
    init(showing first: WallTime?, past: Duration = .zero) {
        (self.first, self.past) = (first, past)
        let now = machine.now()
        let start = Moment(monotonic: now.monotonic, wall: (first ?? now.wall).advanced(by: .zero - past))
        state = Mutex(State(from: start, at: now.monotonic))
    }

    /// The time of the fleet at its start.
    var start: Moment { state.withLock { $0.start } }

    /// The time of the fleet.
    var now: Moment { state.withLock { $0.now(at: machine.now().monotonic) } }

    /// The date of the fleet with the monotonic time of the machine.
    var gatewayTime: Moment {
        let real = machine.now().monotonic
        return Moment(monotonic: real, wall: state.withLock { $0.now(at: real).wall })
    }

    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// Stops the clock, or lets it run on from the time that it shows.
    func hold(_ isHeld: Bool) {
        let real = machine.now().monotonic
        state.withLock { state in
            (state.reading, state.readAt) = (state.now(at: real).monotonic, real)
            state.isHeld = isHeld
        }
    }

    func advance(by time: Duration) {
        state.withLock { $0.reading = $0.reading.advanced(by: time) }
    }

    /// Begins again, with the date of the start or another one; the monotonic time goes on.
    func restart(showing date: WallTime?, isHeld: Bool) {
        let now = machine.now()
        state.withLock { state in
            let monotonic = max(now.monotonic, state.now(at: now.monotonic).monotonic)
            let start = Moment(
                monotonic: monotonic, wall: (date ?? first ?? now.wall).advanced(by: .zero - past))
            state = State(from: start, at: now.monotonic)
            state.isHeld = isHeld
        }
    }

    /// The machine's time until the clock shows a time; nil while it is held.
    func delay(until due: MonotonicTime) -> Duration? {
        let real = machine.now().monotonic
        return state.withLock { state in
            state.isHeld ? nil : max(.zero, state.now(at: real).monotonic.duration(to: due))
        }
    }
}
