import ControllerCore
import FleetProtocol

extension Controller.Input {
    /// A client's request, with a fresh token where it asks for a ticket.
    init(_ request: ClientRequest, from client: ConnectionID) {
        let digest = request.token.map(PasswordHasher.digest)
        if case .streamTicket = request.body {
            self = .ticketRequest(
                client, correlation: request.correlation, digest: digest,
                fresh: PasswordHasher.makeFreshToken(), isUnattended: request.isUnattended)
        } else {
            self = .client(client, request, digest: digest)
        }
    }
}
