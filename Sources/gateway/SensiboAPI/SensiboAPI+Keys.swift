import FleetClient
import FleetProtocol
import GatewayCore

extension SensiboAPI {
    /// The interval at which the gateway asks the controller for the outcome of a request.
    private static let outcomePause: Duration = .milliseconds(250)

    /// Returns the outcome of a change that was sent before; nil if the controller has not seen it. It waits
    /// for the outcome up to a command's timeout, and returns `unknown` after that.
    func earlierOutcome(
        of change: PodChange
    ) async throws(APIError) -> (outcome: Outcome, cause: ChangeCause)? {
        let deadline = clock().monotonic.advanced(by: Limits.defaultTimeout)
        while true {
            let left = clock().monotonic.duration(to: deadline)
            guard left.wholeMilliseconds > 0 else { return (.unknown, .request) }
            do throws(FleetError) {
                let report = try await change.caller.client.outcome(
                    of: change.requestID, as: change.caller.credentials, timeout: left)
                guard !report.outcome.isFinal else {
                    return (report.outcome, report.command == .correct ? .correction : .request)
                }
            } catch {
                switch error {
                case .refused(.notFound): return nil
                case .refused(.unauthenticated): throw APIError(error, to: change.request.credentials)
                case .refused, .noReply, .noController, .badReply, .unexpectedReply, .tooManyRequests,
                    .closed, .cancelled, .transport:
                    break
                }
            }
            guard (try? await World.sleep(min(left, Self.outcomePause))) != nil else {
                return (.unknown, .request)
            }
        }
    }

    /// Returns the end of a change; a refusal counts only if no copy of the request can take effect any more.
    /// A copy that an earlier gateway process sent may still arrive. So a refused retry is cancelled, and the
    /// reply to the cancel counts.
    func settled(
        _ change: PodChange, _ work: () async throws(APIError) -> PodCommandOutcome
    ) async throws(APIError) -> PodCommandOutcome {
        let result: Result<PodCommandOutcome, APIError>
        do throws(APIError) {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        guard change.isRepeat else { return try result.get() }
        if case .success(.outcome(let outcome)) = result { return .outcome(outcome) }
        let cancel: CancelReply
        do throws(FleetError) {
            cancel = try await change.caller.client.cancel(change.requestID, as: change.caller.credentials)
        } catch {
            return .outcome(.unknown)
        }
        return cancel == .cancelled ? try result.get() : .outcome(cancel.outcome)
    }
}

extension CancelReply {
    var outcome: Outcome {
        switch self {
        case .cancelled: .cancelled
        case .tooLate(let report): report.outcome
        case .pending: .unknown
        }
    }
}

extension KeyedRequests.Entry {
    /// The key of a change, within those of its caller: a user with sessions, or one API key of a user.
    init(_ key: IdempotencyKey, of change: PodChange) {
        let (session, request) = (change.caller.session, change.request)
        let account = Array(session.account.name.utf8)
        let user = [account, Array(session.email.address.utf8)]
        let caller = user + [Array((session.key?.name.text ?? "").utf8)]
        let path = request.path.hasSuffix("/") ? String(request.path.dropLast()) : request.path
        self.init(
            caller: .init(account: .init(of: [account]), user: .init(of: user), key: .init(of: caller)),
            key: .init(of: caller + [Array(key.text.utf8)]),
            content: .init(of: [Array(request.method.rawValue.utf8), Array(path.utf8), request.body]),
            requestID: change.requestID, formerKey: .init(of: [account, Array(key.text.utf8)]))
    }
}
