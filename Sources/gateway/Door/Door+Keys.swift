import FleetClient
import FleetProtocol
import FleetTime
import GatewayCore

/// Changes that a client names with an `Idempotency-Key`, so that it can ask for the same one again.
extension Door {
    /// How long the gateway waits before it asks the controller again what became of a request.
    private static let outcomePause: Duration = .milliseconds(250)

    /// The request that a change is: a new one, or the one that its key stands for.
    func identity(
        of request: APIRequest, for visitor: Access.Visitor
    ) async throws(APIError) -> (requestID: RequestID, isRepeat: Bool) {
        let requestID = newRequestID()
        guard let text = request.idempotencyKey else { return (requestID, false) }
        let key = try IdempotencyKey(text)
        let account = Array(visitor.session.account.name.utf8)
        let path = request.path.hasSuffix("/") ? String(request.path.dropLast()) : request.path
        let entry = KeyedRequests.Entry(
            account: .init(of: [account]), key: .init(of: [account, Array(key.text.utf8)]),
            content: .init(of: [Array(request.method.rawValue.utf8), Array(path.utf8), request.body]),
            requestID: requestID)
        switch try await keys.claim(entry) {
        case .new: return (requestID, false)
        case .known(let known): return (known, true)
        case .otherContent: throw .keyReused
        case .full(let wait): throw .busy(retryAfter: wait)
        }
    }

    /// The outcome of a change that was asked for before; nil where the controller has not seen it.
    ///
    /// Waits for the outcome as long as a command may take, and is `unknown` after that.
    func earlierOutcome(
        of change: PodChange
    ) async throws(APIError) -> (outcome: Outcome, cause: ChangeCause)? {
        let deadline = clock().monotonic.advanced(by: Limits.defaultPatience)
        while true {
            let left = clock().monotonic.duration(to: deadline)
            guard left.wholeMilliseconds > 0 else { return (.unknown, .request) }
            do throws(FleetError) {
                let report = try await client.outcome(
                    of: change.requestID, as: change.visitor.credentials, patience: left)
                guard !report.outcome.isFinal else {
                    return (report.outcome, report.command == .correct ? .correction : .request)
                }
            } catch {
                switch error {
                case .refused(.notFound): return nil
                case .refused(.unauthenticated): throw APIError(error, to: change.request.credentials)
                case .refused, .noAnswer, .noController, .badReply, .unexpectedReply, .tooManyRequests,
                    .closed, .cancelled, .transport:
                    break
                }
            }
            guard (try? await World.sleep(min(left, Self.outcomePause))) != nil else {
                return (.unknown, .request)
            }
        }
    }

    /// How a change ends, where a refusal counts only once no copy of it can take effect.
    ///
    /// A copy that an earlier gateway process sent may still arrive. So a refused repeat is cancelled, and
    /// the answer to the cancel counts.
    func settled(
        _ change: PodChange, _ work: () async throws(APIError) -> PodCommandEnd
    ) async throws(APIError) -> PodCommandEnd {
        let result: Result<PodCommandEnd, APIError>
        do throws(APIError) {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        guard change.isRepeat else { return try result.get() }
        if case .success(.outcome(let outcome)) = result { return .outcome(outcome) }
        let cancel: CancelAnswer
        do throws(FleetError) {
            cancel = try await client.cancel(change.requestID, as: change.visitor.credentials)
        } catch {
            return .outcome(.unknown)
        }
        return cancel == .cancelled ? try result.get() : .outcome(cancel.outcome)
    }
}

extension CancelAnswer {
    /// What became of the command that was cancelled.
    var outcome: Outcome {
        switch self {
        case .cancelled: .cancelled
        case .tooLate(let report): report.outcome
        case .pending: .unknown
        }
    }
}
