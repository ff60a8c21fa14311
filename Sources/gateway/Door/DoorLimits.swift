import FleetProtocol
import GatewayCore
import Stepping

/// How often each key may ask.
actor DoorLimits {
    private var limiter = RateLimiter<[UInt8]>()

    /// Takes a request; nil where it may go on, and otherwise how long until the next may.
    func take(_ token: Token, takesCompressed: Bool, at now: MonotonicTime) -> Duration? {
        limiter.take(token.bytes, takesCompressed: takesCompressed, at: now)
    }
}
