public import FleetProtocol
public import Stepping

/// How a command came to its end, whichever way.
public enum PodCommandEnd: Sendable, Equatable {
    /// As the controller says.
    case outcome(Outcome)
    /// The device is not there, and nothing was begun.
    case offline
}

extension APIAnswer {
    /// What becomes of a change of a pod's state: a record of it.
    ///
    /// - Parameters:
    ///   - pod: The pod as it was before.
    ///   - cause: A request, or a correction.
    ///   - parameter: The name of what a client sends, for one that sent what the device does not take.
    /// - Throws: ``APIError/badRequest(_:)`` where the device rejects it.
    public static func stateChange(
        _ request: RequestID, of pod: Pod, by cause: ChangeCause, end: PodCommandEnd, parameter: String,
        user: Email, now: WallTime
    ) throws(APIError) -> APIAnswer {
        let change: StateChange =
            switch end {
            case .outcome(.applied(let state)):
                StateChange(
                    of: pod.device, to: state, from: pod.state, by: cause, user: user, at: now)
            case .outcome(.unchanged(let state)):
                StateChange(of: request, at: state.state, by: cause, user: user, at: now)
            case .outcome(.rejected(let why)): throw .invalid(parameter, why)
            case .outcome(let outcome):
                StateChange(
                    of: request, at: outcome.state?.state ?? pod.state, by: cause, user: user,
                    shortfall: StateChange.Shortfall(outcome), at: now)
            case .offline:
                StateChange(
                    of: request, at: pod.state, by: cause, user: user, shortfall: .timeout, at: now)
            }
        return success { $0.change(change, by: pod.capabilities, now: now) }
    }

    /// That a pod's remote has no code for a state: in JSON as recorded in the tests of
    /// homebridge-sensibo-sky, with what was asked for and what is; as a page otherwise.
    ///
    /// - Parameter asked: What the pod was to be set to.
    public static func noSuchRemoteCommand(
        _ request: RequestID, _ asked: ACState, of pod: Pod, prefersJSON: Bool, now: WallTime
    ) -> APIAnswer {
        let error = APIError.noSuchRemoteCommand
        guard prefersJSON else { return APIAnswer(error, prefersJSON: false) }
        let change = StateChange(
            of: request, at: asked, by: .request, shortfall: .noSuchRemoteCommand, at: now)
        var json = JSONWriter()
        json.object { json in
            json.member("status", "failed")
            json.member("reason", error.reason)
            json.object("result") { json in
                json.key("request")
                json.change(change, by: pod.capabilities, fields: .refusedRequest, now: now)
                json.key("currentAcState")
                json.acState(pod.state, by: pod.capabilities, at: (pod.changes.last ?? pod.asOf, now))
            }
        }
        return APIAnswer(status: error.status, .json, body: json.bytes)
    }

    /// What becomes of a change of a pod's settings: clients look at nothing but whether it was a success.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` where the device rejects it.
    public static func settingsChange(
        end: PodCommandEnd, parameter: String
    ) throws(APIError) -> APIAnswer {
        let shortfall: StateChange.Shortfall? =
            switch end {
            case .outcome(.rejected(let why)): throw .invalid(parameter, why)
            case .outcome(let outcome): StateChange.Shortfall(outcome)
            case .offline: .timeout
            }
        guard let shortfall else { return done }
        var json = JSONWriter()
        json.object { json in
            json.member("status", shortfall.status.lowercased())
            json.member("reason", shortfall.rawValue)
            json.member("result", nil)
        }
        return APIAnswer(.json, body: json.bytes)
    }
}

extension RecordFields {
    /// What is told of a request that came to nothing for want of a code.
    fileprivate static let refusedRequest = RecordFields(
        query: "id,status,reason,failureReason,changedProperties,acState")
}
