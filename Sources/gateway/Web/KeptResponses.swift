import FleetClient
import FleetProtocol
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// What the response to a read depends on: it is the same as long as none of this changes.
struct ReadBasis: Sendable {
    fileprivate let token: CellToken
    /// Nil after the replica has ended, whose memory a kept response must not hold.
    fileprivate weak let replica: AccountReplica?
    /// ``AccountReplica/changes`` before the response was made.
    fileprivate let changes: UInt64
    fileprivate let plan: Int
    /// The second that the API's clock shows: the seconds since a time in a response are at most one behind.
    fileprivate let second: Int64
}

/// The responses to reads of this second, so that what many clients read is made once. A response is sent
/// again if the request is the same with all its headers, nothing that it depends on has changed, and the
/// controller has confirmed the token after the request arrived.
final class KeptResponses: Sendable {
    fileprivate struct Kept: Sendable {
        let basis: ReadBasis
        let head: HTTPResponse
        let body: ByteBuffer
    }

    /// The maximum size of a kept body in bytes: the pods of some 1,500 devices with all keys.
    private static let bodyBytesAtMost = 8 << 20
    /// The number of responses, and the size of their bodies in bytes, from which the next one empties the
    /// store first.
    private static let responsesAtMost = 1_024
    private static let bytesAtMost = 32 << 20

    let access: Access
    let meter: RequestMeter
    private let cloud: Cloud
    private let store = Mutex<(responses: [HTTPRequest: Kept], bytes: Int)>(([:], 0))

    init(of fleet: FleetLink, under cloud: Cloud, clock: @escaping @Sendable () -> Moment) {
        access = Access(cells: fleet.cells, replicas: fleet.replicas)
        (self.cloud, meter) = (cloud, RequestMeter(clock: clock))
    }

    /// Returns what a response depends on that is made from now on; nil under cloud faults.
    func basis(_ token: CellToken, _ replica: AccountReplica) -> ReadBasis? {
        let changes = replica.changes.load(ordering: .acquiring)
        return cloud.faultlessSecond.map {
            ReadBasis(token: token, replica: replica, changes: changes, plan: $0.plan, second: $0.second)
        }
    }

    fileprivate func keep(_ kept: Kept, for request: HTTPRequest) {
        guard kept.body.readableBytes <= Self.bodyBytesAtMost else { return }
        store.withLock { store in
            if store.responses.count >= Self.responsesAtMost || store.bytes >= Self.bytesAtMost {
                store = ([:], 0)
            }
            let former = store.responses.updateValue(kept, forKey: request)
            store.bytes += kept.body.readableBytes - (former?.body.readableBytes ?? 0)
        }
    }

    /// Returns the response to a request, unless something that it depends on has changed.
    fileprivate func response(to request: HTTPRequest) -> Kept? {
        guard request.method == .get, let kept = store.withLock({ $0.responses[request] }),
            isCurrent(kept.basis)
        else { return nil }
        return kept
    }

    /// Whether nothing that a response depends on has changed.
    fileprivate func isCurrent(_ basis: ReadBasis) -> Bool {
        guard let replica = basis.replica, !replica.hasEnded, let now = cloud.faultlessSecond else {
            return false
        }
        return now == (basis.plan, basis.second)
            && basis.changes == replica.changes.load(ordering: .acquiring)
    }
}

/// Answers the reads of a connection from ``KeptResponses`` on its event loop, without a task. It passes all
/// other requests on, and keeps their responses if it is asked to.
final class ConnectionReads: ChannelDuplexHandler, RemovableChannelHandler {
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

    private let kept: KeptResponses
    /// The request whose head has arrived, with the kept response to it.
    private var arriving: (request: HTTPRequest, response: KeptResponses.Kept)?
    /// The request that awaits the confirmation of its token, since that time.
    private var awaited: (request: HTTPRequest, response: KeptResponses.Kept, start: MonotonicTime)?
    /// Whether a timer looks after the awaited confirmations.
    private var isTimed = false
    /// What arrived after a request that awaits the confirmation of its token, in order: the end of the input
    /// and errors must not overtake it. Nil if no request does.
    private var later: [Arrival]?
    /// The number of requests that have awaited a confirmation.
    private var confirmations = 0
    private var isReadDue = false
    /// The number of requests passed on whose answers have not ended.
    private var unanswered = 0
    /// The request whose response is to be kept, with the head once that was sent, and the body.
    private var keeping: (request: HTTPRequest, basis: ReadBasis, head: HTTPResponse?, body: ByteBuffer?)?

    init(_ kept: KeptResponses) { self.kept = kept }

    /// Keeps the next response of a connection, which is the one to this request.
    static func keepNext(of request: HTTPRequest, _ basis: ReadBasis, on channel: any Channel) async {
        guard request.headerFields[.connection] == nil else { return }
        try? await channel.eventLoop.submit {
            let handler = try channel.pipeline.syncOperations.handler(type: ConnectionReads.self)
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
            if unanswered == 0, context.channel.isWritable, let response = kept.response(to: request) {
                arriving = (request, response)
            } else {
                unanswered += 1
                context.fireChannelRead(data)
            }
        case .body: if arriving == nil { context.fireChannelRead(data) }
        case .end:
            guard let (request, response) = arriving else { return context.fireChannelRead(data) }
            arriving = nil
            confirm(request, response, context)
        }
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
        if later == nil { context.read() } else { isReadDue = true }
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
                kept.keep(
                    KeptResponses.Kept(basis: keeping.basis, head: head, body: body), for: keeping.request)
            }
            keeping = nil
        }
        context.write(data, promise: promise)
    }

    /// Sends a kept response once the controller has confirmed the token; otherwise passes the request on.
    private func confirm(
        _ request: HTTPRequest, _ response: KeptResponses.Kept, _ context: ChannelHandlerContext
    ) {
        later = []
        confirmations += 1
        awaited = (request, response, kept.meter.now)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        kept.access.verify(response.basis.token) {
            [loop = context.eventLoop, number = confirmations] result in
            loop.execute {
                let (handler, context) = bound.value
                handler.end(number, by: try? result.get(), context)
            }
        }
        if !isTimed { time(bound, context.eventLoop) }
    }

    /// Passes a request on that is not confirmed in time: a timer looks after each as long as there are some.
    private func time(_ bound: NIOLoopBound<(ConnectionReads, ChannelHandlerContext)>, _ loop: any EventLoop)
    {
        isTimed = true
        loop.scheduleTask(in: Self.confirmationTimeout) { [number = confirmations] in
            let (handler, context) = bound.value
            handler.isTimed = false
            handler.end(number, by: nil, context)
            if handler.awaited != nil { handler.time(bound, context.eventLoop) }
        }
    }

    private func end(_ number: Int, by caller: Access.Caller?, _ context: ChannelHandlerContext) {
        guard number == confirmations, let (request, response, start) = awaited else { return }
        awaited = nil
        if let caller, caller.replica === response.basis.replica, kept.isCurrent(response.basis) {
            context.write(wrapOutboundOut(.head(response.head)), promise: nil)
            context.write(wrapOutboundOut(.body(response.body)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            kept.meter.record(request, response.head.status, since: start)
        } else {
            unanswered += 1
            context.fireChannelRead(wrapInboundOut(.head(request)))
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
