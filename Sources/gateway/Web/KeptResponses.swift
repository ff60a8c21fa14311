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
    fileprivate let replica: AccountReplica
    /// ``AccountReplica/changes`` before the response was made.
    fileprivate let changes: UInt64
    fileprivate let plan: Int
    /// The second that the API's clock shows: times in a response are whole seconds.
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
            let now = cloud.faultlessSecond, now == (kept.basis.plan, kept.basis.second),
            !kept.basis.replica.hasEnded,
            kept.basis.changes == kept.basis.replica.changes.load(ordering: .acquiring)
        else { return nil }
        return kept
    }
}

/// Answers the reads of a connection from ``KeptResponses`` on its event loop, without a task. It passes all
/// other requests on, and keeps their responses if it is asked to.
final class ConnectionReads: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let kept: KeptResponses
    /// The request whose head has arrived, with the kept response to it.
    private var arriving: (request: HTTPRequest, response: KeptResponses.Kept)?
    /// What arrived after a request that awaits the confirmation of its token; nil if none does.
    private var later: [NIOAny]?
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
            later?.append(data)
            return
        }
        switch unwrapInboundIn(data) {
        case .head(let request):
            // Answers have the order of their requests.
            if unanswered == 0, let response = kept.response(to: request) {
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
        let start = kept.meter.now
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        kept.access.verify(response.basis.token) { [loop = context.eventLoop] result in
            loop.execute {
                let (handler, context) = bound.value
                handler.end(request, response, result, context, since: start)
            }
        }
    }

    private func end(
        _ request: HTTPRequest, _ response: KeptResponses.Kept, _ result: SharedVerifications.Result,
        _ context: ChannelHandlerContext, since start: MonotonicTime
    ) {
        if case .success(let caller) = result, caller.replica === response.basis.replica {
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
        for part in arrived { channelRead(context: context, data: part) }
        context.fireChannelReadComplete()
        if isReadDue, later == nil {
            isReadDue = false
            context.read()
        }
    }
}
