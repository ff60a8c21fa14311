import FleetClient
import GatewayCore

extension FleetError {
    /// Why a request has no answer of the controller, in sentences of the page.
    var pageWords: String {
        switch self {
        case .refused(let refusal): refusal.pageWords
        case .noAnswer, .noController, .transport: "The controller isn’t responding. Try again."
        case .badReply, .unexpectedReply:
            "The controller’s answer can’t be read. Use a gateway and a controller of one version."
        case .tooManyRequests: "Too many requests at once. Wait a moment."
        case .closed, .cancelled: "The gateway is shutting down."
        }
    }
}
