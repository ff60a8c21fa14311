import FleetClient
import FleetProtocol
import FleetReplica
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore

/// Sensibo's API for a fleet: it answers the requests of API clients. It is stateless. The controller
/// authenticates the client; reads use the replica of the client's account, and changes are commands to the
/// controller.
struct SensiboAPI: Sendable {
    /// The longest wait for the replica of a fleet.
    private static let fleetTimeout: Duration = .seconds(5)
    /// The timeout of a log-in: password hashing is slow, and log-ins are delayed after failed attempts.
    private static let loginTimeout: Duration = .seconds(10)
    /// The longest wait after a change until the replica has it.
    static let replicaTimeout: Duration = .milliseconds(250)
    /// The interval between two attempts to change an offline pod.
    static let offlinePause: Duration = .milliseconds(250)

    let access: Access
    let cells: CellClients
    /// Whether the rate limits apply also without a cloud fault.
    let isLimited: Bool
    let cloud: Cloud
    let keys: IdempotencyKeys
    /// Keeps the responses to reads; nil to keep none.
    let kept: KeptResponses?
    let turns = PodTurns()
    let clock: @Sendable () -> Moment

    /// Returns the answer to a request, compressed if the client accepts that. The source of a log-in may be
    /// unknown.
    func answer(
        _ request: APIRequest, takesCompressed: Bool, from source: () -> LoginSource?
    ) async -> APIResponse {
        do throws(APIError) {
            guard let route = APIRoute(path: request.path) else { throw .noSuchPage }
            guard route.methods.contains(request.method.effect) else {
                throw .methodNotAllowed(route.methods)
            }
            if route == .login {
                let met = CloudRequest(isWrite: true, path: request.path)
                return try await cloud.pass(met) { _ async throws(APIError) in
                    try await logIn(request, from: source())
                }
            }
            let token = try request.credentials.token()
            // A caller who may not switch devices may have become one who may.
            if request.method.effect != .get, let former = access.formerCaller(with: token.token),
                former.session.commandRefusal == nil
            {
                return try await answerAtOnce(request, to: route, takesCompressed, for: former)
            }
            let caller = try await caller(request)
            if request.method == .get { RequestNote.current?.basis = kept?.basis(token, caller.replica) }
            return try await answer(request, to: route, takesCompressed, for: caller)
        } catch {
            // A change with an idempotency key may have been sent before.
            let mayBeMade = request.idempotencyKey != nil && (error == .unavailable || error == .timedOut)
            return APIResponse(mayBeMade ? .unanswered : error, prefersJSON: request.prefersJSON)
        }
    }

    /// Executes a change before the controller has confirmed its client. The controller accepts no commands
    /// of unknown clients, so only an answer without a command has to be confirmed.
    private func answerAtOnce(
        _ request: APIRequest, to route: APIRoute, _ takesCompressed: Bool, for former: Access.Caller
    ) async throws(APIError) -> APIResponse {
        let answer: Result<APIResponse, APIError>
        do throws(APIError) {
            answer = .success(try await self.answer(request, to: route, takesCompressed, for: former))
        } catch {
            answer = .failure(error)
        }
        if RequestNote.current?.isAuthenticated != true { try await confirm(request) }
        return try answer.get()
    }

    /// Confirms the client of a change that may have been made.
    func confirm(_ request: APIRequest) async throws(APIError) {
        do throws(APIError) {
            _ = try await caller(request)
        } catch {
            throw error == .unavailable ? .unanswered : error
        }
    }

    private func answer(
        _ request: APIRequest, to route: APIRoute, _ takesCompressed: Bool, for caller: Access.Caller
    ) async throws(APIError) -> APIResponse {
        let met = await cloudRequest(request, to: route, for: caller)
        return try await cloud.pass(met) { treatment async throws(APIError) in
            if isLimited || treatment.isLimited {
                let wait = cloud.admit(caller.credentials.token, takesCompressed: takesCompressed)
                if let wait {
                    if treatment.isLimited { RequestNote.current?.meet([.limit]) }
                    throw .limited(retryAfter: wait)
                }
            }
            return try await answer(request, to: route, treatment, for: caller)
        }
    }

    /// Returns the properties of a request that cloud faults depend on.
    private func cloudRequest(
        _ request: APIRequest, to route: APIRoute, for caller: Access.Caller
    ) async -> CloudRequest {
        let isWrite = request.method.effect != .get
        guard cloud.hasFaults, case .pod(let id, let part) = route,
            let pod = await caller.replica.readPods({ Pod.find(id, in: $0, $1) })
        else { return CloudRequest(isWrite: isWrite, path: request.path) }
        return CloudRequest(isWrite: isWrite, path: request.path, part, of: pod)
    }

    func caller(_ request: APIRequest) async throws(APIError) -> Access.Caller {
        try await KeyAccess(access: access).caller(with: request.credentials)
    }

    private func logIn(_ request: APIRequest, from source: LoginSource?) async throws(APIError) -> APIResponse
    {
        let form = try LoginForm(request.body)
        do throws(FleetError) {
            let (session, token) = try await cells.withoutSession { client async throws(FleetError) in
                try await client.openSession(
                    email: form.email, password: form.password, source: source, timeout: Self.loginTimeout)
            }
            RequestNote.current?.identify(session.email)
            return .session(CellToken(token, in: session.cell))
        } catch {
            if case .refused(.unauthenticated) = error { throw .invalidGrant }
            throw APIError(error, to: request.credentials)
        }
    }

    // MARK: Reading

    private func answer(
        _ request: APIRequest, to route: APIRoute, _ treatment: CloudTreatment, for caller: Access.Caller
    ) async throws(APIError) -> APIResponse {
        let faults = cloud.podFaults
        switch route {
        case .login: throw .noSuchPage
        case .me:
            try await caller.replica.complete(within: Self.fleetTimeout)
            let unit = await caller.replica.read { Pod.temperatureUnit(of: $0) }
            return .me(caller.session, reading: unit)
        case .pods:
            try await caller.replica.complete(within: Self.fleetTimeout)
            let (replica, history, sites) = await caller.replica.contents
            var pods = Pod.all(of: replica, history)
            if let faults {
                RequestNote.current?.meet(faults.kinds(of: pods))
                pods = pods.map { faults.shown($0, history) }
            }
            return .pods(
                pods, of: caller.session.account, at: sites,
                fields: PodFields(query: request.query["fields"]), now: cloud.now)
        case .pod(let id, let part):
            var pod = try await caller.replica.pod(id, within: Self.fleetTimeout)
            guard request.method.effect == .get else {
                pod.isCutOff = treatment.fails
                pod.lacksCode = treatment.lacksCode
                return try await change(part, of: pod, request, for: caller)
            }
            if let faults {
                let known = pod
                RequestNote.current?.meet(faults.kinds(of: [pod]))
                pod = await caller.replica.readPods { faults.shown(known, $1) }
            }
            return try await read(part, of: pod, request, for: caller)
        }
    }

    private func read(
        _ part: APIRoute.PodPart, of pod: Pod, _ request: APIRequest, for caller: Access.Caller
    ) async throws(APIError) -> APIResponse {
        let (replica, query) = (caller.replica, request.query)
        let fields = RecordFields(query: query["fields"])
        switch part {
        case .whole:
            return .pod(
                pod, of: caller.session.account, at: await replica.sites,
                fields: PodFields(query: query["fields"]), now: cloud.now)
        case .smartMode: return .climateReact(of: pod, now: cloud.now)
        case .timer: return try .timer(of: pod, now: cloud.now)
        case .schedules: return .schedules(of: pod, now: cloud.now)
        case .schedule(let id): return try .schedule(id, of: pod, now: cloud.now)
        case .measurements: return .measurements(of: pod, fields: fields, now: cloud.now)
        case .acStates:
            await replica.waitForPast(within: Self.fleetTimeout)
            let place = (caller.session.account, await replica.sites)
            return try await replica.readPods { replica, history throws(APIError) in
                try .changes(
                    of: pod, in: history, current: replica.currentState(of: pod), limit: query["limit"],
                    fields: fields, place: place, now: cloud.now)
            }
        case .events:
            await replica.waitForPast(within: Self.fleetTimeout)
            return try await replica.readPods { replica, history throws(APIError) in
                try .events(
                    of: pod, in: history, current: replica.currentState(of: pod), limit: query["limit"],
                    now: cloud.now)
            }
        case .history:
            return try await replica.readPods { _, history throws(APIError) in
                try .history(of: pod, in: history, days: query["days"], now: cloud.now)
            }
        case .acState, .calibration, .pureBoost, .filterNotification: throw .noSuchPage
        }
    }
}

extension Replica {
    fileprivate func currentState(of pod: Pod) -> StateChange? {
        row(of: pod.device).map(StateChange.init(toStateOf:))
    }
}

struct SensiboRoutes: Sendable {
    let door: SensiboAPI
    let sources: LoginSources

    func add(to router: Router<GatewayContext>) {
        router.get("openapi.json") { _, _ in WebResponse.document("SensiboAPI/openapi.json") }
        for path: RouterPath in ["api/**", "o/**"] {
            for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
                router.on(path, method: method, use: respond)
            }
            router.on(path, method: .options, use: sendMethods)
        }
    }

    @Sendable private func sendMethods(_ request: Request, _ context: GatewayContext) throws -> Response {
        guard let route = APIRoute(path: request.uri.path) else { throw HTTPError(.notFound) }
        return CrossOrigin.preflight(request.uri.path, route.methods)
    }

    @Sendable private func respond(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let asked = try await APIRequest(request)
        let takesCompressed = request.headers[.acceptEncoding]?.lowercased().contains("gzip") ?? false
        let answer = await door.answer(
            asked, takesCompressed: takesCompressed
        ) { sources.source(of: request, context) }
        let response = try await Response(answer, to: asked.method, over: context.channel)
        if let basis = RequestNote.current?.basis, answer.status == 200, answer.damage == nil {
            await ConnectionAnswers.keepNext(of: request.head, basis, on: context.channel)
        }
        return response
    }
}
