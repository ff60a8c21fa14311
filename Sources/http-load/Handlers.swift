import LoadCore
import NIOCore
import NIOHTTP1
import NIOTLS

/// Collects the responses of a connection.
final class ResponseHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    /// The longest body; a longer one ends the connection.
    private static let bodyBytes = 1 << 20

    private let driver: HTTPLoadDriver
    private let place: HTTPLoadDriver.Place
    private let isSecure: Bool
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private var problem = HTTPLoadFailure(.unreachable, "the gateway ended the connection")

    /// A handler for the connection at a place.
    init(driver: HTTPLoadDriver, place: HTTPLoadDriver.Place, isSecure: Bool) {
        (self.driver, self.place, self.isSecure) = (driver, place, isSecure)
    }

    func channelActive(context: ChannelHandlerContext) {
        if !isSecure { report(context.channel) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { report(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    private func report(_ channel: any Channel) {
        let place = place
        driver.assumeIsolated { $0.opened(place, channel) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.removeAll(keepingCapacity: true)
        case .body(let part):
            guard body.count + part.readableBytes <= Self.bodyBytes else {
                problem = HTTPLoadFailure(
                    .unreachable, "a response of more than \(Self.bodyBytes) bytes")
                return context.close(promise: nil)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let head else { return }
            let (place, body) = (place, body)
            driver.assumeIsolated {
                $0.answered(
                    place, status: Int(head.status.code), body: body, isLast: !head.isKeepAlive)
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

/// Hands the lines of standard input to the driver.
final class OrderHandler: ChannelInboundHandler {
    typealias InboundIn = [UInt8]

    private let driver: HTTPLoadDriver

    /// A handler that hands lines to a driver.
    init(driver: HTTPLoadDriver) { self.driver = driver }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let line = unwrapInboundIn(data)
        driver.assumeIsolated { $0.received(line) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Splits bytes into lines, without their ends.
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = [UInt8]

    /// The number of bytes at the beginning of the buffer that have no line end.
    private var searched = 0

    mutating func decode(
        context: ChannelHandlerContext, buffer: inout ByteBuffer
    ) throws -> DecodingState {
        let view = buffer.readableBytesView
        let end = view[(view.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n"))
        guard let end, let line = buffer.readBytes(length: end - view.startIndex) else {
            searched = buffer.readableBytes
            return .needMoreData
        }
        buffer.moveReaderIndex(forwardBy: 1)
        searched = 0
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }
}
