import FleetClient
import GatewayCore

extension FleetError {
    /// Why the controller did not answer a request, as a sentence for the page.
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
