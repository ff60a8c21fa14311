import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// Hands an answer to what could not be read as a request past the compressor.
///
/// The compressor takes from each request what its answer may be compressed with, and traps where there was
/// none: the server answers 400 to bytes that are no request, also to one that was cut off by its own end.
final class UnaskedAnswers: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let compressor: HTTPResponseCompressor
    /// Requests whose answers have not begun.
    private var unanswered = 0
    /// Whether the answer that is being written has no request.
    private var isUnasked = false

    init(past compressor: HTTPResponseCompressor) {
        self.compressor = compressor
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { unanswered += 1 }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data), !head.isInformational {
            isUnasked = unanswered == 0
            unanswered = max(0, unanswered - 1)
        }
        guard isUnasked else { return context.write(data, promise: promise) }
        do {
            // What is written at the compressor's place goes on behind it.
            try context.pipeline.syncOperations.context(handler: compressor).write(data, promise: promise)
        } catch {
            promise?.fail(error)
            context.close(promise: nil)
        }
    }
}

extension HTTPResponseHead {
    fileprivate var isInformational: Bool {
        (100..<200).contains(status.code) && status != .switchingProtocols
    }
}
