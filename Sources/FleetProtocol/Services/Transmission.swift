/// The schedule of one message: when it is sent, and sent again.
public struct Transmission: Sendable {
    /// The time without a reply on a live connection after which the message is sent again.
    public static let silence: Duration = .seconds(1)
    /// The pause after which a message that the socket did not accept is offered again.
    private static let pause: Duration = .milliseconds(10)
    /// The upper bound of the first backoff; it doubles with each attempt.
    private static let jitterBase: Duration = .milliseconds(50)
    /// The maximum of that bound.
    private static let jitterCap: Duration = .milliseconds(500)

    private let retry: RetryPolicy
    /// The number of copies that were sent.
    public private(set) var copies = 0
    /// The number of copies that were refused: each gets one reply at most.
    private var refusedCopies = 0
    /// The number of copies since the last message from the controller.
    private var triesInSilence = 0
    /// The time at which the next copy is due; nil while that depends on another event.
    public private(set) var nextSend: MonotonicTime?
    /// The earliest next copy that a busy controller allowed.
    private var notBefore: MonotonicTime

    /// A message that is due now.
    public init(_ retry: RetryPolicy, at now: MonotonicTime) {
        self.retry = retry
        nextSend = now
        notBefore = now
    }

    /// Whether a copy may have been or may still be executed: not every sent copy was refused.
    public var mayBeOnItsWay: Bool { copies > refusedCopies }

    /// Returns whether the message must be offered to the socket now; then ``sent(at:using:)`` or
    /// ``blocked(at:isConnected:)`` must follow.
    public mutating func consumeDue(at now: MonotonicTime) -> Bool {
        guard let due = nextSend, due <= now else { return false }
        nextSend = nil
        return true
    }

    /// Records that the socket accepted it.
    public mutating func sent(at now: MonotonicTime, using generator: inout SeededGenerator) {
        copies += 1
        guard case .onSilence = retry else { return }
        nextSend = now.advanced(by: Self.silence + jitter(using: &generator))
    }

    /// Records that the socket did not accept it: it has no connection, or its queue is full.
    public mutating func blocked(at now: MonotonicTime, isConnected: Bool) {
        nextSend = isConnected ? now.advanced(by: Self.pause) : nil
    }

    /// Handles a new connection, which also counts as a message from the controller.
    public mutating func connected(at now: MonotonicTime, using generator: inout SeededGenerator) {
        triesInSilence = 0
        if copies == 0 {
            nextSend = now
        } else if retry != .never || !mayBeOnItsWay {
            nextSend = max(now, notBefore).advanced(by: jitter(using: &generator))
        }
    }

    /// Records that a copy was refused: it was not and will not be executed.
    public mutating func refused() { refusedCopies += 1 }

    /// Records that a copy was refused because another controller has the account, which gets the next copy.
    public mutating func redirected(at now: MonotonicTime) {
        refused()
        triesInSilence = 0
        nextSend = now
    }

    /// Postpones the next copy, because the controller is busy: it is sent again after that time at the
    /// earliest.
    public mutating func postpone(
        by pause: Duration, at now: MonotonicTime, using generator: inout SeededGenerator
    ) {
        triesInSilence = 0
        notBefore = now.advanced(by: pause)
        nextSend = notBefore.advanced(by: jitter(using: &generator))
    }

    /// Returns whether it is sent again before a deadline without further messages from the controller.
    public func willResend(before deadline: MonotonicTime) -> Bool {
        nextSend.map { $0 < deadline } ?? false
    }

    /// Records a message from the controller that does not end the request.
    public mutating func received(at now: MonotonicTime, using generator: inout SeededGenerator) {
        triesInSilence = 0
        guard case .onSilence = retry else { return }
        nextSend = max(notBefore, now.advanced(by: Self.silence + jitter(using: &generator)))
    }

    /// Draws a backoff from a span that doubles with each attempt, so that many clients do not return in a
    /// burst.
    private mutating func jitter(using generator: inout SeededGenerator) -> Duration {
        let span = min(Self.jitterCap, Self.jitterBase * (1 << min(triesInSilence, 10)))
        triesInSilence += 1
        return .nanoseconds(Int64.random(in: 0...span.wholeNanoseconds, using: &generator))
    }
}
