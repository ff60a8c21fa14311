import FleetClient
import FleetProtocol
import GatewayCore
import Stepping

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
        case (.schedules, _):
            return try await addSchedule(reader, of: pod, request, for: visitor)
        case (.schedule(let id), .put):
            let kind = try reader.scheduleEnabled(id, request.body)
            return try await changeSettings(kind, of: pod, "isEnabled", request, for: visitor)
        case (.schedule(let id), _):
            let kind = try reader.noSchedule(id)
            return try await changeSettings(kind, of: pod, "schedule", request, for: visitor)
        case (.calibration, _):
            let kind = try reader.calibration(request.body)
            return try await changeSettings(kind, of: pod, "calibration", request, for: visitor)
        case (.pureBoost, _):
            let kind = try reader.pureBoost(request.body)
            return try await changeSettings(kind, of: pod, "pureBoost", request, for: visitor)
        case (.whole, _), (.history, _), (.measurements, _), (.events, _): throw .noSuchPage
        }
    }

    /// An id for a change that comes without one: what is sent twice is done twice, as at Sensibo.
    func newRequestID() -> RequestID {
        var generator = SystemRandomNumberGenerator()
        return RequestID(at: clock().wall, using: &generator)
    }

    private func changeState(
        _ kind: Command.Kind, of pod: Pod, _ parameter: String, _ request: APIRequest,
        for visitor: Access.Visitor
    ) async throws(APIError) -> APIAnswer {
        let id = newRequestID()
        if pod.lacksCode, case .set(let change) = kind {
            return .noSuchRemoteCommand(
                id, pod.state.applying(change), of: pod, prefersJSON: request.prefersJSON, now: clock().wall)
        }
        let end = try await perform(kind, id, on: pod, request, for: visitor)
        return try .stateChange(
            id, kind, of: pod, end: end, parameter: parameter, user: visitor.session.email, now: clock().wall)
    }

    /// Adds a schedule, and answers with it as the pod has taken it on.
    private func addSchedule(
        _ reader: CommandReader, of pod: Pod, _ request: APIRequest, for visitor: Access.Visitor
    ) async throws(APIError) -> APIAnswer {
        let id = ScheduleID(randomBits: newRequestID().low)
        let kind = try reader.schedule(request.body, as: id)
        let answer = try await changeSettings(kind, of: pod, "schedule", request, for: visitor)
        let device = pod.device.description
        guard answer == .done, let pod = await visitor.mirror.readPods({ Pod.find(device, in: $0, $1) })
        else {
            return answer
        }
        return (try? .schedule(id.description, of: pod, now: clock().wall)) ?? answer
    }

    private func changeSettings(
        _ kind: Command.Kind, of pod: Pod, _ parameter: String, _ request: APIRequest,
        for visitor: Access.Visitor
    ) async throws(APIError) -> APIAnswer {
        let end = try await perform(kind, newRequestID(), on: pod, request, for: visitor)
        return try .settingsChange(end: end, parameter: parameter)
    }

    /// Has a command carried out by a pod that may not be there: for as long as a command may take it is
    /// asked again and again, as it may come back.
    private func perform(
        _ kind: Command.Kind, _ id: RequestID, on pod: Pod, _ request: APIRequest, for visitor: Access.Visitor
    ) async throws(APIError) -> PodCommandEnd {
        guard !pod.isCutOff else { return .offline }
        let deadline = clock().monotonic.advanced(by: Limits.defaultPatience)
        while true {
            let left = clock().monotonic.duration(to: deadline)
            guard left.wholeMilliseconds > 0 else { return .offline }
            if !(cloud.podFaults?.isCutOff(pod) ?? false) {
                // One that was refused did nothing, so that the same id may come again.
                let command = Command(requestID: id, device: pod.device, kind: kind, patience: left)
                let end = try await perform(command, request, for: visitor)
                guard end == .offline else { return end }
            }
            let pause = min(left, Self.offlinePause)
            guard (try? await World.sleep(pause)) != nil else { return .offline }
        }
    }

    /// Sends a command, and waits for its end; where it changed something, also until the mirror has that.
    private func perform(
        _ command: Command, _ request: APIRequest, for visitor: Access.Visitor
    ) async throws(APIError) -> PodCommandEnd {
        do throws(FleetError) {
            switch try await client.perform(command, as: visitor.credentials) {
            case .outcome(let report):
                if let state = report.outcome.state {
                    var setting: SettingChange?
                    if case .configure(let change) = command.kind { setting = change }
                    await visitor.mirror.waitForState(
                        state, of: command.device, with: setting, within: Self.mirrorPatience)
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
