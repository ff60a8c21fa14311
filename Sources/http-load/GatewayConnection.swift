import FleetProtocol
import Glibc
import LoadCore
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOTLS

/// Takes the times at which bytes arrive on a connection. It is the first handler, so that a latency does not
/// include the time to decrypt and parse a response.
final class ArrivalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private(set) var time = MonotonicTime.zero

    private let now: @Sendable () -> Moment

    init(now: @escaping @Sendable () -> Moment) { self.now = now }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        time = now().monotonic
        context.fireChannelRead(data)
    }
}

/// A request whose bytes are complete.
struct PreparedRequest {
    /// The method, which the parser of its response needs.
    let method: HTTPMethod
    let bytes: ByteBuffer
}

/// Writes prepared requests: of their parts, which the parser of responses has seen, the body has all bytes.
/// Requests to a pod differ in its ID alone, so that encoding each would take time from the fleet.
final class PreparedRequestEncoder: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .body(.byteBuffer(let bytes)) = unwrapOutboundIn(data) else {
            promise?.succeed()
            return
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}

/// A connection to the gateway: sends requests, and collects their responses.
final class GatewayConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// The longest body; a longer one ends the connection.
    private static let bodyBytes = 1 << 20

    private let driver: HTTPLoadDriver
    private let place: HTTPLoadDriver.Place
    private let arrival: ArrivalHandler
    private let isSecure: Bool
    private var context: ChannelHandlerContext?
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private var problem = HTTPLoadFailure(.unreachable, "the gateway ended the connection")

    init(driver: HTTPLoadDriver, place: HTTPLoadDriver.Place, arrival: ArrivalHandler, isSecure: Bool) {
        (self.driver, self.place, self.arrival, self.isSecure) = (driver, place, arrival, isSecure)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func send(_ request: PreparedRequest) {
        guard let context else { return }
        let head = HTTPRequestHead(version: .http1_1, method: request.method, uri: "/")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(request.bytes))), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    func channelActive(context: ChannelHandlerContext) {
        if !isSecure { reportOpened(context) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { reportOpened(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func reportOpened(_ context: ChannelHandlerContext) {
        let (place, connection) = (place, NIOLoopBound(self, eventLoop: context.eventLoop))
        driver.assumeIsolated { $0.opened(place, connection.value) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.removeAll(keepingCapacity: true)
        case .body(let part):
            guard body.count + part.readableBytes <= Self.bodyBytes else {
                problem = HTTPLoadFailure(.unreachable, "a response of more than \(Self.bodyBytes) bytes")
                return context.close(promise: nil)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let head else { return }
            let response = HTTPLoad.Response(status: Int(head.status.code), body: body)
            let (place, time) = (place, arrival.time)
            driver.assumeIsolated {
                $0.answered(place, with: response, at: time, isLast: !head.isKeepAlive)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        problem = HTTPLoadFailure(connecting: error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let (place, problem) = (place, problem)
        driver.assumeIsolated { $0.lost(place, problem) }
        context.fireChannelInactive()
    }
}

extension HTTPLoadFailure {
    /// The failure of a connection that was not opened, or that has ended.
    init(connecting error: any Error) {
        self = ClientTLS.failure(in: error) ?? HTTPLoadFailure(.unreachable, Self.reason(of: error))
    }

    /// Returns why a connection was not opened, in the system's words: `connection refused`.
    static func reason(of error: any Error) -> String {
        guard let attempts = error as? NIOConnectionError else { return text(of: error) }
        guard let last = attempts.connectionErrors.last else { return "the host's name was not found" }
        return text(of: last.error)
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let error as IOError:
            let words = String(cString: strerror(error.errnoCode))
            return words.prefix(1).lowercased() + words.dropFirst()
        case ChannelError.connectTimeout: return "no connection within the time limit"
        default: return "\(error)"
        }
    }
}
