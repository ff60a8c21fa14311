public import Bus
public import FleetProtocol
import Wording

/// Why a request to the controller gave nothing.
public enum FleetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The controller did not accept the message: nothing was started.
    case refused(Refusal)
    /// The message left, and no answer came in that time.
    case noAnswer(waited: Duration)
    /// There was no connection in all the time that was to be waited.
    case noController(Endpoint)
    /// The controller's answer cannot be read. What was asked may have been done.
    case badReply(WireError)
    /// The controller answered something else than was asked. What was asked may have been done.
    case unexpectedReply
    /// As many requests wait as may: 4,096.
    case tooManyRequests
    /// The client was closed.
    case closed
    /// The task that waited was cancelled.
    case cancelled
    /// A socket failed.
    case transport(BusError)

    /// What failed, why, and what to try.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.explanation
        case .noAnswer(let waited):
            "no answer from the controller within \(waited): see `fleet status`, then try again"
        case .noController(let endpoint):
            "no controller at \(endpoint): start a fleet with `fleet up`, or see `fleet status`"
        case .badReply(let error): "the controller's answer cannot be read: \(error)"
        case .unexpectedReply:
            "the controller answered something else than was asked: use client and controller of one version"
        case .tooManyRequests:
            "\(PendingRequests.limit) requests wait already: wait for some of them to end"
        case .closed: "the client was closed: open another one"
        case .cancelled: "the wait was cancelled"
        case .transport(let error): error.description
        }
    }
}
