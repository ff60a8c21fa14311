import FleetClient
import FleetProtocol
import GatewayCore

struct PodChange: Sendable {
    let part: APIRoute.PodPart
    let pod: Pod
    let request: APIRequest
    let caller: Access.Caller
    /// The run of the cloud in which the request has come.
    let run: Int
    var requestID: RequestID
    /// Whether the client may have sent the request before, with the same idempotency key.
    var isRepeat = false

    /// Why the change is refused before it is sent; nil if the controller decides.
    var objection: APIError? {
        if let refusal = caller.session.commandRefusal { return APIError(refusal, to: request.credentials) }
        do throws(APIError) {
            _ = try command()
            return nil
        } catch {
            return error
        }
    }

    /// The name of the client's parameter, for a change that the device rejects.
    var parameter: String {
        switch (part, request.method) {
        case (.acStates, _), (.timer, .put): "acState"
        case (.acState, _): "newValue"
        case (.smartMode, .put): "enabled"
        case (.schedule, .put): "isEnabled"
        case (.smartMode, _): "smartMode"
        case (.timer, _): "timer"
        case (.filterNotification, _): "filters"
        case (.schedules, _), (.schedule, _): "schedule"
        case (.calibration, _): "calibration"
        case (.pureBoost, _): "pureBoost"
        case (.whole, _), (.history, _), (.measurements, _), (.events, _): "path"
        }
    }

    func command() throws(APIError) -> Command.Kind {
        let (reader, body) = (CommandReader(of: pod), request.body)
        switch (part, request.method) {
        case (.acStates, _): return try reader.state(body)
        case (.acState(let property), _): return try reader.property(property, body)
        case (.smartMode, .put): return try reader.climateReactEnabled(body)
        case (.smartMode, _): return try reader.climateReact(body)
        case (.timer, .put): return try reader.timer(body)
        case (.timer, _):
            guard pod.settings?.timer != nil else { throw .noTimer }
            return .configure(.noTimer)
        case (.filterNotification, _): return .configure(.filterCleaned)
        case (.schedules, _): return try reader.schedule(body, as: scheduleID)
        case (.schedule(let id), .put): return try reader.scheduleEnabled(id, body)
        case (.schedule(let id), _): return try reader.noSchedule(id)
        case (.calibration, _): return try reader.calibration(body)
        case (.pureBoost, _): return try reader.pureBoost(body)
        case (.whole, _), (.history, _), (.measurements, _), (.events, _): throw .noSuchPage
        }
    }

    /// The ID of the schedule that it adds, the same for every retry.
    var scheduleID: ScheduleID { ScheduleID(randomBits: requestID.low) }

    /// The part of the pod that has the new settings; nil if it removes them.
    var changedPart: APIRoute.PodPart? {
        switch (part, request.method) {
        case (_, .delete): nil
        case (.schedules, _): .schedule(scheduleID.description)
        default: part
        }
    }
}

extension SensiboAPI {
    func change(
        _ part: APIRoute.PodPart, of pod: Pod, _ request: APIRequest, for caller: Access.Caller
    ) async throws(APIError) -> APIResponse {
        var change = PodChange(
            part: part, pod: pod, request: request, caller: caller, run: cloud.run,
            requestID: newRequestID())
        guard let text = request.idempotencyKey else { return try await carryOut(change) }
        let entry = KeyedRequests.Entry(try IdempotencyKey(text), of: change)
        return try await keys.carryOut(entry, unless: change.objection) {
            (requestID, isRepeat) async throws(APIError) in
            (change.requestID, change.isRepeat) = (requestID, isRepeat)
            return try await carryOut(change)
        }
    }

    private func carryOut(_ change: PodChange) async throws(APIError) -> APIResponse {
        if change.isRepeat, let (outcome, cause) = try await earlierOutcome(of: change) {
            return try await answer(.outcome(outcome), to: change, by: cause)
        }
        let (kind, pod) = (try change.command(), change.pod)
        if pod.lacksCode, case .set(let wanted) = kind {
            return .noSuchRemoteCommand(
                change.requestID, pod.state.applying(wanted), of: pod,
                prefersJSON: change.request.prefersJSON, now: cloud.now)
        }
        let end = try await settled(change) { () async throws(APIError) in
            try await perform(kind, change, since: clock().monotonic)
        }
        return try await answer(end, to: change, by: kind.isCorrection ? .correction : .request)
    }

    /// Returns an ID for a change: without an idempotency key, a change that is sent twice is made twice, as
    /// in Sensibo's cloud.
    func newRequestID() -> RequestID {
        var generator = SystemRandomNumberGenerator()
        return RequestID(at: clock().wall, using: &generator)
    }

    func stateAnswer(
        _ end: PodCommandOutcome, to change: PodChange, by cause: ChangeCause
    ) throws(APIError) -> APIResponse {
        try .stateChange(
            change.requestID, of: change.pod, by: cause, end: end, parameter: change.parameter,
            user: change.caller.session.email, now: cloud.now)
    }

    private func answer(
        _ end: PodCommandOutcome, to change: PodChange, by cause: ChangeCause
    ) async throws(APIError) -> APIResponse {
        if change.part.isState { return try stateAnswer(end, to: change, by: cause) }
        let device = change.pod.id
        return try .settingsChange(
            end: end, of: change.changedPart,
            in: await change.caller.replica.readPods { Pod.find(device, in: $0, $1) },
            parameter: change.parameter, now: cloud.now)
    }

    /// Sends a command to a pod that may be offline: while it is, the gateway retries within the command's
    /// timeout.
    func perform(
        _ kind: Command.Kind, _ change: PodChange, since start: MonotonicTime
    ) async throws(APIError) -> PodCommandOutcome {
        let pod = change.pod
        guard !pod.isCutOff else { return .offline }
        let deadline = start.advanced(by: Limits.defaultTimeout)
        while true {
            let left = clock().monotonic.duration(to: deadline)
            guard left.wholeMilliseconds > 0 else { return .offline }
            guard cloud.run == change.run else { throw .unavailable }
            if !(cloud.podFaults?.isCutOff(pod) ?? false) {
                let end = try await performInTurn(kind, change, until: deadline)
                guard end == .offline else { return end }
            } else {
                RequestNote.current?.meet([.offline])
            }
            let pause = min(left, Self.offlinePause)
            guard (try? await World.sleep(pause)) != nil else { return .offline }
        }
    }

    /// Sends a command when its turn in the queue of the pod's changes comes. Throws
    /// ``APIError/busy(retryAfter:)`` if the turn does not come in time; nothing was sent then.
    private func performInTurn(
        _ kind: Command.Kind, _ change: PodChange, until deadline: MonotonicTime
    ) async throws(APIError) -> PodCommandOutcome {
        let timeout = clock().monotonic.duration(to: deadline)
        guard await turns.acquire(of: change.pod.device, within: timeout) else {
            throw .busy(retryAfter: .seconds(1))
        }
        defer { turns.leave(change.pod.device) }
        guard cloud.run == change.run else { throw .unavailable }
        let left = clock().monotonic.duration(to: deadline)
        guard left.wholeMilliseconds > 0 else { throw .busy(retryAfter: .seconds(1)) }
        // A refused request had no effect, so a client may repeat it with the same request ID.
        let command = Command(
            requestID: change.requestID, device: change.pod.device, kind: kind, timeout: left)
        return try await perform(command, change)
    }

    /// Sends a command and waits for its outcome; after a change, also until the replica has it.
    private func perform(_ command: Command, _ change: PodChange) async throws(APIError) -> PodCommandOutcome
    {
        let result: Result<CommandCompletion, FleetError>
        do throws(FleetError) {
            result = .success(
                try await change.caller.client.perform(command, as: change.caller.credentials))
        } catch {
            result = .failure(error)
        }
        if let outcome = result.confirmedOutcome {
            RequestNote.current?.authenticate(change.caller.session.email)
            if let state = outcome.state {
                await change.caller.replica.waitForState(
                    state, of: command.device, with: command.kind.setting, within: Self.replicaTimeout)
            }
        }
        return try PodCommandOutcome(result, to: change.request.credentials)
    }
}

extension Result<CommandCompletion, FleetError> {
    /// The outcome that the controller has sent, which confirms the client; nil for other ends.
    var confirmedOutcome: Outcome? {
        // The client itself makes an unknown outcome.
        guard case .success(.outcome(let report)) = self, report.outcome.isFinal else { return nil }
        return report.outcome
    }
}

extension PodCommandOutcome {
    init(_ result: Result<CommandCompletion, FleetError>, to credentials: APICredentials) throws(APIError) {
        switch result {
        case .success(.outcome(let report)): self = .outcome(report.outcome)
        // The client has gone; the controller may not have got the command.
        case .success(.cancel(let answer)): self = .outcome(answer.outcome)
        case .failure(.refused(.offline)): self = .offline
        case .failure(let error):
            switch error {
            case .refused, .noController, .tooManyRequests: throw APIError(error, to: credentials)
            // The command may have been sent.
            case .noReply, .badReply, .unexpectedReply, .closed, .cancelled, .transport:
                self = .outcome(.unknown)
            }
        }
    }
}

extension APIError {
    /// The API error for a failed request to the controller.
    init(_ error: FleetError, to credentials: APICredentials) {
        switch error {
        case .refused(let refusal): self = APIError(refusal, to: credentials) ?? .timedOut
        case .noReply: self = .timedOut
        case .tooManyRequests: self = .busy(retryAfter: .seconds(1))
        case .noController, .closed, .cancelled: self = .unavailable
        case .badReply, .unexpectedReply, .transport: self = .broken(error.description)
        }
    }
}
