import Bus
import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore

/// The end of a change without a task: makes the answer, which takes a while.
typealias DirectAnswer = @Sendable () -> (response: APIResponse, user: Email?)

extension SensiboAPI {
    /// Carries out a change of a pod's state without a task, if its client is known and nothing interferes:
    /// no cloud fault, no limit, no change of the same pod for whose end this one would wait.
    ///
    /// The handler is called once, on any thread: with nil if nothing was sent or the pod is offline, so that
    /// ``answer(_:takesCompressed:from:)`` has to answer.
    func changeAtOnce(_ request: APIRequest, then handle: @escaping @Sendable (DirectAnswer?) -> Void) {
        guard request.idempotencyKey == nil, !isLimited, !cloud.hasFaults,
            case .pod(let id, let part)? = APIRoute(path: request.path), part.changesState(request.method),
            let token = try? request.credentials.token(),
            let caller = access.formerCaller(with: token.token), caller.session.commandRefusal == nil
        else { return handle(nil) }
        caller.client.loop.perform {
            let pod = caller.replica.assumeIsolated { owner in
                owner.replica.isWhole ? Pod.find(id, in: owner.replica, owner.history) : nil
            }
            guard let pod else { return handle(nil) }
            let change = PodChange(
                part: part, pod: pod, request: request, caller: caller, run: cloud.run,
                requestID: newRequestID())
            guard let kind = try? change.command(), turns.begin(pod.device) else { return handle(nil) }
            send(kind, change, then: handle)
        }
    }

    /// Sends the command of a change that has its turn, on the client's thread.
    private func send(
        _ kind: Command.Kind, _ change: PodChange, then handle: @escaping @Sendable (DirectAnswer?) -> Void
    ) {
        let (caller, device) = (change.caller, change.pod.device)
        let command = Command(
            requestID: change.requestID, device: device, kind: kind, timeout: Limits.defaultTimeout)
        caller.client.assumeIsolated { client in
            client.perform(command, as: caller.credentials) { result in
                turns.leave(device)
                if case .failure(.refused(.offline)) = result { return handle(nil) }
                let cause: ChangeCause = kind.isCorrection ? .correction : .request
                let end = Result { () throws(APIError) in
                    try PodCommandOutcome(result, to: change.request.credentials)
                }
                guard let outcome = result.confirmedOutcome else {
                    return conclude(change, end, by: cause, then: handle)
                }
                @Sendable func answer() -> (response: APIResponse, user: Email?) {
                    (self.response(to: change, end, by: cause), caller.session.email)
                }
                guard let state = outcome.state else { return handle(answer) }
                caller.replica.assumeIsolated {
                    $0.call(
                        within: Self.replicaTimeout,
                        when: { $0.hasPassed(state, of: device, with: kind.setting) }, { handle(answer) })
                }
            }
        }
    }

    /// Confirms the client of a change whose end does not, before it is told.
    private func conclude(
        _ change: PodChange, _ end: Result<PodCommandOutcome, APIError>, by cause: ChangeCause,
        then handle: @escaping @Sendable (DirectAnswer?) -> Void
    ) {
        Task {
            do throws(APIError) {
                try await confirm(change.request)
                handle { (response(to: change, end, by: cause), change.caller.session.email) }
            } catch {
                handle { (APIResponse(error, prefersJSON: change.request.prefersJSON), nil) }
            }
        }
    }

    private func response(
        to change: PodChange, _ end: Result<PodCommandOutcome, APIError>, by cause: ChangeCause
    ) -> APIResponse {
        do throws(APIError) {
            return try stateAnswer(try end.get(), to: change, by: cause)
        } catch {
            return APIResponse(error, prefersJSON: change.request.prefersJSON)
        }
    }
}

extension APIRoute.PodPart {
    /// Whether a request with that method changes the state of the pod's air conditioner.
    fileprivate func changesState(_ method: APIRequest.Method) -> Bool {
        switch self {
        case .acStates: method == .post
        case .acState: method == .patch
        default: false
        }
    }
}
