import NIOCore

/// Hands the lines of standard input to the driver.
final class OrderHandler: ChannelInboundHandler {
    typealias InboundIn = [UInt8]

    private let driver: HTTPLoadDriver

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
