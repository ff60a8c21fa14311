import FleetClient
import FleetProtocol
import GatewayCore

extension Door {
    /// Has a pod changed, and answers what became of it.
    func change(
        _ part: APIRoute.PodPart, of pod: Pod, _ request: APIRequest, for visitor: Access.Visitor
    ) async throws(APIError) -> APIAnswer {
        let reader = CommandReader(of: pod)
        switch (part, request.method) {
        case (.acStates, _):
            let kind = try reader.state(request.body)
            return try await changeState(kind, of: pod, "acState", request, for: visitor)
        case (.acState(let property), _):
            let kind = try reader.property(property, request.body)
            return try await changeState(kind, of: pod, "newValue", request, for: visitor)
        case (.smartMode, .put):
            let kind = try reader.climateReactEnabled(request.body)
            return try await changeSettings(kind, of: pod, "enabled", request, for: visitor)
        case (.smartMode, _):
            let kind = try reader.climateReact(request.body)
            return try await changeSettings(kind, of: pod, "smartMode", request, for: visitor)
        case (.timer, .put):
            let kind = try reader.timer(request.body)
            return try await changeSettings(kind, of: pod, "acState", request, for: visitor)
        case (.timer, _):
            guard pod.settings?.timer != nil else { throw .noTimer }
            return try await changeSettings(.configure(.noTimer), of: pod, "timer", request, for: visitor)
        case (.filterNotification, _):
            return try await changeSettings(
                .configure(.filterCleaned), of: pod, "filters", request, for: visitor)
        case (.schedules, _), (.schedule, _), (.calibration, _), (.pureBoost, _), (.whole, _), (.history, _),
            (.measurements, _), (.events, _):
            throw .noSuchPage
        }
    }

    private func changeState(
        _ kind: Command.Kind, of pod: Pod, _ parameter: String, _ request: APIRequest,
        for visitor: Access.Visitor
    ) async throws(APIError) -> APIAnswer {
        let id = newRequestID()
        let end = try await perform(kind, id, on: pod, request, for: visitor)
        return try .stateChange(
            id, kind, of: pod, end: end, parameter: parameter, user: visitor.session.email, now: clock().wall)
    }

    private func changeSettings(
        _ kind: Command.Kind, of pod: Pod, _ parameter: String, _ request: APIRequest,
        for visitor: Access.Visitor
    ) async throws(APIError) -> APIAnswer {
        let end = try await perform(kind, newRequestID(), on: pod, request, for: visitor)
        return try .settingsChange(end: end, parameter: parameter)
    }

    /// Sends a command, and waits for its end; where it changed something, also until the mirror has that.
    private func perform(
        _ kind: Command.Kind, _ id: RequestID, on pod: Pod, _ request: APIRequest, for visitor: Access.Visitor
    ) async throws(APIError) -> PodCommandEnd {
        let command = Command(requestID: id, device: pod.device, kind: kind)
        do throws(FleetError) {
            switch try await client.perform(command, as: visitor.credentials) {
            case .outcome(let report):
                if let state = report.outcome.state {
                    await visitor.mirror.waitForState(state, of: pod.device, within: Self.mirrorPatience)
                }
                return .outcome(report.outcome)
            case .cancel: return .cancelled
            }
        } catch {
            if case .refused(.offline) = error { return .offline }
            throw APIError(error, to: request.credentials)
        }
    }
}

extension APIError {
    /// What a failed request to the controller is to whoever asked the API.
    init(_ error: FleetError, to credentials: APICredentials) {
        switch error {
        case .refused(let refusal): self = APIError(refusal, to: credentials) ?? .timedOut
        case .noAnswer: self = .timedOut
        case .tooManyRequests: self = .busy(retryAfter: .seconds(1))
        case .noController, .closed, .cancelled: self = .unavailable
        case .badReply, .unexpectedReply, .transport: self = .broken(error.description)
        }
    }
}
