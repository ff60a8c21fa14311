import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization
import UserText

/// Forwards a request when it is complete, so that handlers never wait for the rest of one.
///
/// A request that is too large is refused with status 413, and one whose headers or body do not arrive in
/// time with 408; both end the connection, as does silence before the first request. If earlier requests are
/// still unanswered, the connection ends without an answer, which the client would take for theirs.
///
/// A request that offers an upgrade, such as the first one of Java's client, is the last of its connection:
/// the decoder reads nothing after it, because the rest could be of another protocol.
final class WholeRequests: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let place: OpenConnections.Place?
    private let log: (HTTPRequest, HTTPResponse.Status) -> Void
    private var context: ChannelHandlerContext?
    private var headLateness: Scheduled<Void>?
    private var hasHeadBytes = false
    private var arriving: (head: HTTPRequest, body: ByteBuffer?)?
    private var lateness: Scheduled<Void>?
    /// The number of forwarded requests whose answers have not ended.
    private var unanswered = 0
    /// Whether a request was refused; later ones are dropped.
    private var hasRefused = false
    /// Whether the last request of the connection has arrived.
    private var hasLast = false

    init(
        at place: OpenConnections.Place? = nil,
        logging log: @escaping (HTTPRequest, HTTPResponse.Status) -> Void = { _, _ in }
    ) {
        (self.place, self.log) = (place, log)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        awaitHead(context)
    }

    /// Handles the arrival of bytes that may be the first of a request's headers.
    func bytesArrive() {
        guard arriving == nil, unanswered == 0, !hasRefused, let context else { return }
        hasHeadBytes = true
        awaitHead(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            stopAwaitingHead()
            if head.headerFields[.upgrade] != nil {
                hasLast = true
                head.headerFields[.connection] = "close"
            }
            arriving = (head, nil)
        case .body(let part): append(part, context)
        case .end: handOn(data, context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if arriving != nil, lateness == nil, !hasRefused {
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            lateness = context.eventLoop.scheduleTask(in: WebLimits.requestTimeout) {
                let (handler, context) = bound.value
                handler.refuse(.tooSlow, context)
            }
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            place?.beganSending()
            guard hasLast, unanswered == 1, arriving == nil else { break }
            head.headerFields[.connection] = "close"
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: break
        case .end:
            unanswered -= 1
            if unanswered == 0 { place?.becameIdle() } else { place?.becameBusy() }
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        reset()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        reset()
        self.context = nil
    }

    private func awaitHead(_ context: ChannelHandlerContext) {
        guard headLateness == nil else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        headLateness = context.eventLoop.scheduleTask(in: WebLimits.headTimeout) {
            let (handler, context) = bound.value
            guard handler.hasHeadBytes else { return context.close(promise: nil) }
            handler.refuse(.tooSlow, context)
        }
    }

    private func stopAwaitingHead() {
        headLateness?.cancel()
        headLateness = nil
        hasHeadBytes = false
    }

    private func append(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
        var body = arriving?.body ?? ByteBuffer()
        arriving?.body = nil
        body.writeImmutableBuffer(part)
        guard body.readableBytes <= WebLimits.bodyBytes else { return refuse(.tooLarge, context) }
        arriving?.body = body
    }

    private func handOn(_ end: NIOAny, _ context: ChannelHandlerContext) {
        guard let (head, body) = arriving else { return }
        reset()
        unanswered += 1
        place?.becameBusy()
        context.fireChannelRead(wrapInboundOut(.head(head)))
        if let body { context.fireChannelRead(wrapInboundOut(.body(body))) }
        context.fireChannelRead(end)
    }

    /// Answers with an error, in JSON if the headers received so far accept that, and closes the connection.
    private func refuse(_ error: APIError, _ context: ChannelHandlerContext) {
        let head = arriving?.head
        reset()
        hasRefused = true
        guard unanswered == 0 else { return context.close(promise: nil) }
        let prefersJSON = APIRequest.prefersJSON(head?.headerFields[.accept])
        let answer = APIResponse(error, prefersJSON: prefersJSON)
        let body = ByteBuffer(bytes: answer.body)
        var headers: HTTPFields = [
            .contentType: answer.contentType.rawValue, .contentLength: String(body.readableBytes),
            .connection: "close",
        ]
        if CrossOrigin.isShared(head?.path ?? "") { headers[.accessControlAllowOrigin] = "*" }
        let status = HTTPResponse.Status(code: answer.status)
        // Without a head the answer has no request, which is logged as such.
        if let head { log(head, status) }
        context.write(
            wrapOutboundOut(.head(HTTPResponse(status: status, headerFields: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    private func reset() {
        stopAwaitingHead()
        arriving = nil
        lateness?.cancel()
        lateness = nil
    }
}

/// Reports arriving bytes to ``WholeRequests``, which receives a request only after all of its headers.
final class ArrivingBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let requests: WholeRequests

    init(of requests: WholeRequests) { self.requests = requests }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        requests.bytesArrive()
        context.fireChannelRead(data)
    }
}

final class RequestMeter: RouterMiddleware, Sendable {
    private let metrics = Mutex(RequestMetrics())
    private let clock: @Sendable () -> Moment

    init(clock: @escaping @Sendable () -> Moment) { self.clock = clock }

    func write(to text: inout MetricsText) {
        let counted = metrics.withLock { $0 }
        counted.write(to: &text)
    }

    @concurrent
    func handle(_ request: Request, context: GatewayContext, next: Next) async throws -> Response {
        let start = now
        do {
            let response = try await next(request, context)
            record(request.head, at: context.endpointPath, response.status, since: start)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            record(request.head, at: context.endpointPath, status, since: start)
            throw error
        }
    }

    var now: MonotonicTime { clock().monotonic }

    func record(
        _ request: HTTPRequest, at endpoint: String? = nil, _ status: HTTPResponse.Status,
        since start: MonotonicTime
    ) {
        let duration = start.duration(to: now)
        // Sensibo's API is a single route to the router.
        let path = request.path.map { $0.prefix { $0 != "?" } } ?? ""
        let route = APIRoute(path: String(path))?.pattern ?? endpoint
        metrics.withLock {
            $0.record(method: request.method.rawValue, route: route, status: status.code, in: duration)
        }
    }
}
