public import Bus
public import FleetProtocol
import UserText

/// The reason why a request to the controller returned no result.
public enum FleetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The controller refused the request: nothing was started.
    case refused(Refusal)
    /// The request was sent, and no reply arrived in that time.
    case noReply(waited: Duration)
    /// The client had no connection during the whole wait; perhaps because the controller denied its key.
    case noController(Endpoint, isDenied: Bool = false)
    /// The controller's answer cannot be read. The request may have been carried out.
    case badReply(WireError)
    /// The controller answered another request. This one may have been carried out.
    case unexpectedReply
    /// The limit of 4,096 pending requests is reached.
    case tooManyRequests
    /// The client was closed.
    case closed
    /// The task that waited was cancelled.
    case cancelled
    /// A socket failed.
    case transport(BusError)

    /// The failure and its cause, without a command to run.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.cause
        case .noReply(let waited): "no answer from the controller within \(waited)"
        case .noController(let endpoint, isDenied: true):
            "the fleet at \(endpoint) does not admit the key of this machine for that"
        case .noController(let endpoint, isDenied: false):
            endpoint.ipcPath == nil ? "no answer from \(endpoint)" : "no controller at \(endpoint)"
        case .badReply(let error): "the controller's answer cannot be read: \(error)"
        case .unexpectedReply:
            "the controller sent an unexpected reply: use client and controller of the same version"
        case .tooManyRequests:
            "\(PendingRequests.limit) requests are pending already: wait for some of them to end"
        case .closed: "the client was closed: open another one"
        case .cancelled: "the wait was cancelled"
        case .transport(let error): error.description
        }
    }
}
