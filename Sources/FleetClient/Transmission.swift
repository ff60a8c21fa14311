import FleetProtocol
import FleetTime

/// When one message leaves, and when it leaves again.
struct Transmission: Sendable {
    /// The silence on a live connection after which a message leaves again.
    static let silence: Duration = .seconds(1)
    /// The pause after which a message is offered again that the socket did not take.
    static let pause: Duration = .milliseconds(10)
    /// The longest waiting time before the first try; it doubles with each.
    static let jitterBase: Duration = .milliseconds(50)
    /// What the waiting time never exceeds.
    static let jitterCap: Duration = .milliseconds(500)

    private let retry: RetryPolicy
    /// How often the message has left.
    private(set) var copies = 0
    /// How many of these copies were refused: each has one reply at most.
    private var refusedCopies = 0
    /// How often it has left since anything was heard.
    private var triesInSilence = 0
    /// When it is to leave; nil while that depends on something else.
    private(set) var nextSend: MonotonicTime?
    /// A busy controller asked not to hear it again before then.
    private var notBefore: MonotonicTime

    /// A message that is to leave now.
    init(_ retry: RetryPolicy, at now: MonotonicTime) {
        self.retry = retry
        nextSend = now
        notBefore = now
    }

    /// Whether some copy that left may have been, or be, carried out: not every one was refused.
    var mayBeOnItsWay: Bool { copies > refusedCopies }

    /// Whether the message is to be offered to the socket; then ``left(at:using:)`` or
    /// ``blocked(at:isConnected:)`` must follow.
    mutating func takeDue(at now: MonotonicTime) -> Bool {
        guard let due = nextSend, due <= now else { return false }
        nextSend = nil
        return true
    }

    /// The socket took it.
    mutating func left(at now: MonotonicTime, using generator: inout SeededGenerator) {
        copies += 1
        guard case .onSilence = retry else { return }
        nextSend = now.advanced(by: Self.silence + jitter(using: &generator))
    }

    /// The socket did not take it: it has no connection, or no room.
    mutating func blocked(at now: MonotonicTime, isConnected: Bool) {
        nextSend = isConnected ? now.advanced(by: Self.pause) : nil
    }

    /// There is a new connection, which is a sign of life too.
    mutating func connected(at now: MonotonicTime, using generator: inout SeededGenerator) {
        triesInSilence = 0
        if copies == 0 {
            nextSend = now
        } else if retry != .never || !mayBeOnItsWay {
            nextSend = max(now, notBefore).advanced(by: jitter(using: &generator))
        }
    }

    /// A copy was refused: it did nothing, and never will.
    mutating func refused() {
        refusedCopies += 1
    }

    /// The controller has no room: the message leaves again, whatever else makes it, and not before that time
    /// has passed.
    mutating func postpone(by pause: Duration, at now: MonotonicTime, using generator: inout SeededGenerator)
    {
        triesInSilence = 0
        notBefore = now.advanced(by: pause)
        nextSend = notBefore.advanced(by: jitter(using: &generator))
    }

    /// Whether it leaves again before then if nothing more is heard.
    func leavesAgain(before deadline: MonotonicTime) -> Bool {
        nextSend.map { $0 < deadline } ?? false
    }

    /// The controller gave a sign of life that is no end.
    mutating func heard(at now: MonotonicTime, using generator: inout SeededGenerator) {
        triesInSilence = 0
        guard case .onSilence = retry else { return }
        nextSend = max(notBefore, now.advanced(by: Self.silence + jitter(using: &generator)))
    }

    /// A random part of a span that doubles with each try: many clients never come back in one burst.
    private mutating func jitter(using generator: inout SeededGenerator) -> Duration {
        let span = min(Self.jitterCap, Self.jitterBase * (1 << min(triesInSilence, 10)))
        triesInSilence += 1
        return .nanoseconds(Int64.random(in: 0...span.wholeNanoseconds, using: &generator))
    }
}
