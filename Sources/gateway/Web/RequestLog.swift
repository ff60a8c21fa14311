import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import Logging
import ProcessSupport
import Synchronization
import UserText

/// Logs the requests that were refused, that may have changed something, or that met a cloud fault. A line
/// has the method, the path, the status, the caller and the faults; never the query, a header or a body,
/// which have secrets. Each kind of requests has a budget of lines.
final class RequestLog: RouterMiddleware {
    private static let reads: Set<HTTPRequest.Method> = [.get, .head, .options]

    private let logger: Logger
    private let proxies: [IPNetwork]
    private let clock: @Sendable () -> Moment
    /// The budgets of the kinds, by raw value.
    private let budgets = Mutex(
        RequestLogLines.Kind.allCases.map { _ in LineBudget(linesPerSecond: RequestLogLines.linesPerSecond) })

    init(logger: Logger, trusting proxies: [IPNetwork] = [], clock: @escaping @Sendable () -> Moment) {
        (self.logger, self.proxies, self.clock) = (logger, proxies, clock)
    }

    @concurrent
    func handle(_ request: Request, context: GatewayContext, next: Next) async throws -> Response {
        let note = RequestNote()
        let response: Response
        do {
            response = try await RequestNote.$current.withValue(note) { try await next(request, context) }
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            log(request.head, status, note, from: context.address)
            throw error
        }
        log(request.head, response.status, note, from: context.address)
        return response
    }

    /// Logs a request with its answer, if that is due. The head is nil if it could not be read. The address
    /// of the peer stands for an unknown caller.
    func log(
        _ head: HTTPRequest?, _ status: HTTPResponse.Status, _ note: RequestNote = RequestNote(),
        from address: String?
    ) {
        let (caller, faults, isQuestion) = note.facts
        let isRead = isQuestion || head.map { Self.reads.contains($0.method) } ?? false
        guard status.code >= 400 || !faults.isEmpty || !isRead else { return }
        let kind: RequestLogLines.Kind =
            status.code >= 400 ? .refused : faults.isEmpty ? .change : .affected
        let now = clock().monotonic
        guard let unsaid = budgets.withLock({ $0[kind.rawValue].spend(at: now) }) else { return }
        var metadata: Logger.Metadata = [
            "status": "\(status.code)", "caller": "\(caller?.address ?? client(head, behind: address))",
        ]
        if let head {
            metadata["method"] = "\(head.method.rawValue.prefix(RequestLogLines.methodBytes))"
            metadata["path"] = "\(RequestLogLines.path(head.path ?? ""))"
        }
        if !faults.isEmpty { metadata["fault"] = "\(faults.map(\.name).joined(separator: ","))" }
        if unsaid > 0 { metadata["unsaid"] = "\(unsaid)" }
        logger.info("\(kind.text)", metadata: metadata)
    }

    private func client(_ head: HTTPRequest?, behind address: String?) -> String {
        guard let peer = address.flatMap({ IPAddress($0) }) else { return "unknown" }
        let forwarded = head?.headerFields[values: .forwardedFor] ?? []
        return IPAddress.client(behind: peer, forwarded: forwarded, trusting: proxies).description
    }
}

/// The facts of a request that its handlers learn, for the log.
final class RequestNote: Sendable {
    /// The note of the request that the current task answers.
    @TaskLocal static var current: RequestNote?

    private struct State {
        var caller: Email?
        var faults: [CloudFault.Kind] = []
        var isQuestion = false
        var isAuthenticated = false
        var basis: ReadBasis?
    }

    private let state = Mutex(State())

    /// The authenticated user, the faults that affected the request, and whether it changes nothing although
    /// it has a body.
    var facts: (caller: Email?, faults: [CloudFault.Kind], isQuestion: Bool) {
        state.withLock { ($0.caller, $0.faults, $0.isQuestion) }
    }

    /// Whether the controller has accepted a command of the request.
    var isAuthenticated: Bool { state.withLock { $0.isAuthenticated } }

    /// What its response depends on, if that may be kept.
    var basis: ReadBasis? {
        get { state.withLock { $0.basis } }
        set { state.withLock { $0.basis = newValue } }
    }

    /// Records that the controller has accepted a command of a user.
    func authenticate(_ email: Email) { state.withLock { ($0.caller, $0.isAuthenticated) = (email, true) } }

    func identify(_ email: Email) { state.withLock { $0.caller = email } }
    func identifyQuestion() { state.withLock { $0.isQuestion = true } }

    func meet(_ kinds: [CloudFault.Kind]) {
        guard !kinds.isEmpty else { return }
        state.withLock { state in
            for kind in kinds where !state.faults.contains(kind) { state.faults.append(kind) }
        }
    }
}
