import FleetProtocol
import GatewayCore
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The answers that connections give on their event loops, without a task and the router: kept reads, and
/// changes with which nothing interferes. They are what the router would answer.
final class DirectAnswers: Sendable {
    let kept: KeptResponses
    private let door: SensiboAPI
    private let rules: RequestRules
    private let log: RequestLog
    private let date = Mutex<(second: time_t, text: String)>((0, ""))

    init(_ door: SensiboAPI, keeping kept: KeptResponses, under rules: RequestRules, _ log: RequestLog) {
        (self.door, self.kept, self.rules, self.log) = (door, kept, rules, log)
    }

    /// Whether a request may be a change that ``change(_:_:on:from:then:)`` carries out.
    func mayChange(_ request: HTTPRequest) -> Bool {
        [.patch, .post].contains(request.method) && request.path?.hasPrefix("/api/v2/pods/") ?? false
            && request.headerFields[.connection] == nil && (try? rules.check(request)) != nil
    }

    /// Carries out a change, and calls a handler on an event loop: with the response, or with nil if the
    /// request must go to the router, because nothing was done.
    func change(
        _ request: HTTPRequest, _ body: ByteBuffer?, on loop: any EventLoop, from address: String?,
        then handle: @escaping @Sendable (WholeResponse?) -> Void
    ) {
        guard let method = APIRequest.Method(rawValue: request.method.rawValue) else { return handle(nil) }
        let start = kept.meter.now
        let asked = APIRequest(
            method, URI(request.path ?? ""), request.headerFields,
            body: body.map { Array($0.readableBytesView) } ?? [])
        door.changeAtOnce(asked) { [self] answer in
            loop.execute { [self] in
                guard let answer = answer?() else { return handle(nil) }
                let response = rules.applied(to: Response(answer.response, to: method), for: request)
                log.log(request, response.status, answer.note, from: address)
                kept.meter.record(request, response.status, since: start)
                var head = response.head
                head.headerFields[.date] = now
                handle(WholeResponse(head: head, body: ByteBuffer(bytes: answer.response.body)))
            }
        }
    }

    /// The time as in a response's header (RFC 9110, section 5.6.7).
    private var now: String {
        var second = time(nil)
        return date.withLock { date in
            guard date.second != second else { return date.text }
            var parts = tm()
            gmtime_r(&second, &parts)
            let text = String(unsafeUninitializedCapacity: 32) { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    strftime($0.baseAddress, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
                }
            }
            date = (second, text)
            return text
        }
    }
}

/// Answers requests of a connection on its event loop from ``DirectAnswers``, and passes all others on. It
/// keeps their responses if it is asked to.
final class ConnectionAnswers: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Arrival {
        case part(NIOAny)
        case event(Any)
        case error(any Error)
    }

    /// The wait for the confirmation of a token after which the request is passed on, and waits for its own
    /// verification; up to twice that.
    private static let confirmationTimeout: TimeAmount = .milliseconds(250)

    /// A request that the connection answers itself.
    private struct OwnRequest {
        let head: HTTPRequest
        /// The kept response to it; nil for a change.
        let kept: KeptResponses.Kept?
        var body: ByteBuffer?
    }

    private let answers: DirectAnswers
    private var arriving: OwnRequest?
    /// The request that awaits its answer.
    private var awaited: OwnRequest?
    /// Whether a timer looks after the awaited confirmations of tokens.
    private var isTimed = false
    /// What arrived after a request that awaits its answer, in order: the end of the input and errors must
    /// not overtake it. Nil if no request does.
    private var later: [Arrival]?
    /// The number of requests that have awaited their answers.
    private var ownRequests = 0
    private var isReadDue = false
    /// The number of requests passed on whose answers have not ended.
    private var unanswered = 0
    /// The request whose response is to be kept, with the head once that was sent, and the body.
    private var keeping: (request: HTTPRequest, basis: ReadBasis, head: HTTPResponse?, body: ByteBuffer?)?

    init(_ answers: DirectAnswers) { self.answers = answers }

    /// Keeps the next response of a connection, which is the one to this request.
    static func keepNext(of request: HTTPRequest, _ basis: ReadBasis, on channel: any Channel) async {
        guard request.headerFields[.connection] == nil else { return }
        try? await channel.eventLoop.submit {
            let handler = try channel.pipeline.syncOperations.handler(type: ConnectionAnswers.self)
            if handler.unanswered == 1 { handler.keeping = (request, basis, nil, nil) }
        }.get()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard later == nil else {
            later?.append(.part(data))
            return
        }
        switch unwrapInboundIn(data) {
        case .head(let request):
            // Answers have the order of their requests, and a task waits for a peer that does not read.
            if unanswered == 0, context.channel.isWritable, let own = ownRequest(request) {
                arriving = own
            } else {
                unanswered += 1
                context.fireChannelRead(data)
            }
        case .body(let body):
            if arriving == nil { context.fireChannelRead(data) } else { arriving?.body = body }
        case .end:
            guard let own = arriving.take() else { return context.fireChannelRead(data) }
            answer(own, context)
        }
    }

    private func ownRequest(_ head: HTTPRequest) -> OwnRequest? {
        if let kept = answers.kept.response(to: head) { return OwnRequest(head: head, kept: kept) }
        return answers.mayChange(head) ? OwnRequest(head: head, kept: nil) : nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if later == nil { context.fireUserInboundEventTriggered(event) } else { later?.append(.event(event)) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if later == nil { context.fireErrorCaught(error) } else { later?.append(.error(error)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        (awaited, later) = (nil, nil)
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        // Changing whether to read takes two system calls, so it is only done for a peer that sends on.
        if later?.isEmpty ?? true { context.read() } else { isReadDue = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): keeping?.head = head
        case .body(let body):
            // A response of several parts is not kept.
            if keeping?.body == nil { keeping?.body = body } else { keeping = nil }
        case .end:
            unanswered -= 1
            if let keeping, let head = keeping.head, let body = keeping.body {
                let response = WholeResponse(head: head, body: body)
                answers.kept.keep(
                    KeptResponses.Kept(basis: keeping.basis, response: response), for: keeping.request)
            }
            keeping = nil
        }
        context.write(data, promise: promise)
    }

    private func answer(_ own: OwnRequest, _ context: ChannelHandlerContext) {
        later = []
        ownRequests += 1
        awaited = own
        let (bound, number) = (NIOLoopBound((self, context), eventLoop: context.eventLoop), ownRequests)
        if let kept = own.kept {
            confirm(own.head, kept, number, bound)
        } else {
            answers.change(
                own.head, own.body, on: context.eventLoop, from: context.remoteAddress?.ipAddress
            ) { response in
                let (handler, context) = bound.value
                handler.end(number, with: response, context)
            }
        }
    }

    /// Sends a kept response once the controller has confirmed the token; otherwise passes the request on.
    private func confirm(
        _ request: HTTPRequest, _ kept: KeptResponses.Kept, _ number: Int,
        _ bound: NIOLoopBound<(ConnectionAnswers, ChannelHandlerContext)>
    ) {
        let (start, loop) = (answers.kept.meter.now, bound.value.1.eventLoop)
        answers.kept.access.verify(kept.basis.token) { result in
            loop.execute {
                let (handler, context) = bound.value
                let caller = try? result.get()
                let all = handler.answers.kept
                let isSame = caller.map { $0.replica === kept.basis.replica && all.isCurrent(kept.basis) }
                guard number == handler.ownRequests, handler.awaited != nil, isSame ?? false else {
                    return handler.end(number, with: nil, context)
                }
                all.meter.record(request, kept.response.head.status, since: start)
                handler.end(number, with: kept.response, context)
            }
        }
        if !isTimed { time(bound, loop) }
    }

    /// Passes a read on whose token is not confirmed in time: a timer looks after each as long as there are
    /// some.
    private func time(
        _ bound: NIOLoopBound<(ConnectionAnswers, ChannelHandlerContext)>, _ loop: any EventLoop
    ) {
        isTimed = true
        loop.scheduleTask(in: Self.confirmationTimeout) { [number = ownRequests] in
            let (handler, context) = bound.value
            handler.isTimed = false
            if handler.awaited?.kept != nil { handler.end(number, with: nil, context) }
            if handler.awaited?.kept != nil, !handler.isTimed { handler.time(bound, context.eventLoop) }
        }
    }

    private func end(_ number: Int, with response: WholeResponse?, _ context: ChannelHandlerContext) {
        guard number == ownRequests, let own = awaited.take() else { return }
        if let response {
            context.write(wrapOutboundOut(.head(response.head)), promise: nil)
            context.write(wrapOutboundOut(.body(response.body)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else {
            unanswered += 1
            context.fireChannelRead(wrapInboundOut(.head(own.head)))
            if let body = own.body { context.fireChannelRead(wrapInboundOut(.body(body))) }
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        }
        let arrived = later ?? []
        later = nil
        for arrival in arrived {
            switch arrival {
            case .part(let data): channelRead(context: context, data: data)
            case .event(let event): userInboundEventTriggered(context: context, event: event)
            case .error(let error): errorCaught(context: context, error: error)
            }
        }
        context.fireChannelReadComplete()
        if isReadDue, later == nil {
            isReadDue = false
            context.read()
        }
    }
}
