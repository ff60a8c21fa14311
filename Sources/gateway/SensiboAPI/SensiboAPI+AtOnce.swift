import Bus
import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore

/// Makes the answer to a change, which takes a while; with the facts for the log.
typealias DirectAnswer = @Sendable () -> (response: APIResponse, note: RequestNote)

extension SensiboAPI {
    /// Carries out a change of a pod's state without a task, if its client is known and nothing interferes:
    /// no cloud fault, no rate limit, no queue of changes of the pod.
    ///
    /// The handler is called once, on any thread: with nil if nothing was sent, so that
    /// ``answer(_:takesCompressed:from:)`` has to answer.
    func changeAtOnce(_ request: APIRequest, then handle: @escaping @Sendable (DirectAnswer?) -> Void) {
        guard request.idempotencyKey == nil, !isLimited, !cloud.hasFaults,
            let route = APIRoute(path: request.path), case .pod(let id, let part) = route, part.isState,
            request.method.effect != .get, route.methods.contains(request.method),
            let token = try? request.credentials.token(),
            let caller = access.formerCaller(with: token.token), caller.session.commandRefusal == nil
        else { return handle(nil) }
        let start = clock().monotonic
        caller.client.loop.perform {
            let pod = caller.replica.assumeIsolated { owner in
                owner.replica.isWhole ? Pod.find(id, in: owner.replica, owner.history) : nil
            }
            guard let pod else { return handle(nil) }
            let change = PodChange(
                part: part, pod: pod, request: request, caller: caller, run: cloud.run,
                requestID: newRequestID())
            guard let kind = try? change.command(), turns.begin(pod.device) else { return handle(nil) }
            send(kind, change, since: start, then: handle)
        }
    }

    /// Sends the command of a change that has its turn, on the client's thread.
    private func send(
        _ kind: Command.Kind, _ change: PodChange, since start: MonotonicTime,
        then handle: @escaping @Sendable (DirectAnswer?) -> Void
    ) {
        let (caller, device) = (change.caller, change.pod.device)
        let command = Command(
            requestID: change.requestID, device: device, kind: kind, timeout: Limits.defaultTimeout)
        caller.client.assumeIsolated { client in
            client.perform(command, as: caller.credentials) { result in
                turns.leave(device)
                let end = Result { () throws(APIError) in
                    try PodCommandOutcome(result, to: change.request.credentials)
                }
                guard let outcome = result.confirmedOutcome else {
                    return conclude(kind, change, end, since: start, then: handle)
                }
                @Sendable func answer() -> (response: APIResponse, note: RequestNote) {
                    let note = RequestNote()
                    note.identify(caller.session.email)
                    return (response(to: change, end, kind), note)
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

    /// Retries a change while its pod is offline. Confirms the client, unless an outcome does, before it is
    /// told.
    private func conclude(
        _ kind: Command.Kind, _ change: PodChange, _ end: Result<PodCommandOutcome, APIError>,
        since start: MonotonicTime, then handle: @escaping @Sendable (DirectAnswer?) -> Void
    ) {
        Task {
            let note = RequestNote()
            let answer = await RequestNote.$current.withValue(note) {
                var end = end
                do throws(APIError) {
                    if case .success(.offline) = end {
                        end = .success(try await perform(kind, change, since: start))
                    }
                } catch {
                    end = .failure(error)
                }
                do throws(APIError) {
                    if !note.isAuthenticated { try await confirm(change.request) }
                    return response(to: change, end, kind)
                } catch {
                    return APIResponse(error, prefersJSON: change.request.prefersJSON)
                }
            }
            handle { (answer, note) }
        }
    }

    private func response(
        to change: PodChange, _ end: Result<PodCommandOutcome, APIError>, _ kind: Command.Kind
    ) -> APIResponse {
        do throws(APIError) {
            return try stateAnswer(
                try end.get(), to: change, by: kind.isCorrection ? .correction : .request)
        } catch {
            return APIResponse(error, prefersJSON: change.request.prefersJSON)
        }
    }
}

extension APIRoute.PodPart {
    /// Whether it is the state of the pod's air conditioner; its changes are answered with their records.
    var isState: Bool {
        switch self {
        case .acStates, .acState: true
        default: false
        }
    }
}
