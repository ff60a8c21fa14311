import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Wording

/// Answers in the forms that the gateway gives.
enum Answer {
    /// A JSON document.
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Plain text.
    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A page that says what is wrong.
    static func page(_ words: String, status: HTTPResponse.Status) -> Response {
        let title = "\(status.code) \(status.reasonPhrase)"
        let html = """
            <!doctype html><html lang="en"><head><title>\(title)</title></head>\
            <body><h1>\(title)</h1><p>\(HTMLText.escaped(words))</p></body></html>
            """
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// Nothing but that it is done.
    static var done: Response { Response(status: .noContent) }
}

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

/// Ends a connection whose other end does not read: whoever writes to it would wait for ever, and it would
/// keep its place among ``WebLimits/connections``.
///
/// What has to be sent is looked at every ``WebLimits/readPatience`` while there is any; where nothing of it
/// left from one look to the next the connection ends, and the writes with it. So it ends after one to two
/// times that. Whoever reads, however slowly, keeps theirs.
final class UnreadAnswers: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Bytes that were handed to the connection.
    private var written = 0
    /// Bytes of these that the system had taken at the last look; nil before the first.
    private var takenBefore: Int?
    private var nextLook: Scheduled<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
        guard nextLook == nil else { return }
        takenBefore = nil
        scheduleLook(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        nextLook?.cancel()
        nextLook = nil
    }

    private func scheduleLook(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        nextLook = context.eventLoop.scheduleTask(in: WebLimits.readPatience) {
            let (handler, context) = bound.value
            handler.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        nextLook = nil
        let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        guard waiting > 0 else { return }
        let taken = written - waiting
        if let takenBefore, taken <= takenBefore { return context.close(promise: nil) }
        takenBefore = taken
        scheduleLook(context)
    }
}
