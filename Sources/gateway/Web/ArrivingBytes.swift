import NIOCore

/// Tells ``WholeRequests`` that bytes arrive, which sees no request before all of its headers are there.
final class ArrivingBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let requests: WholeRequests

    init(of requests: WholeRequests) {
        self.requests = requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        requests.bytesArrive()
        context.fireChannelRead(data)
    }
}
