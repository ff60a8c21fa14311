public import FleetProtocol

/// The answers of an echo server, which takes the place of a fleet: every request is carried out at once.
public enum EchoedReply {
    private static let state = DeviceState(
        state: ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto), version: Version(1),
        incarnation: Incarnation(bits: 1))

    /// The answer to a request of a load.
    public static func reply(to request: ClientRequest) -> ClientReply {
        ClientReply(correlation: request.correlation, body: body(for: request.body))
    }

    private static func body(for request: ClientRequest.Body) -> ClientReply.Body {
        switch request {
        case .command(let command):
            .outcome(
                OutcomeReport(
                    requestID: command.requestID, device: command.device, outcome: .applied(state),
                    user: user, attempts: 1))
        // The echo is stateless: it does not know the outcome of the request.
        case .cancel(let id, _): .cancel(id, .pending)
        case .snapshot:
            .snapshot(
                SnapshotChunk(
                    epoch: Epoch(1), sequence: StreamSequence(1), nextCursor: 0, isLast: true, nodes: [],
                    rows: []))
        case .status: .status(StatusReport(epoch: Epoch(1)))
        default: .refusal(.invalid("an echo server answers only the requests of a load"))
        }
    }

    private static let user: Email = {
        guard let email = Email("self-test@sensibus.local") else {
            preconditionFailure("invalid email address of the echo server")
        }
        return email
    }()
}
