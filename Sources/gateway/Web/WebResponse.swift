import GatewayCore
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import UserText

enum WebResponse {
    static func json(_ value: JSONObject) -> Response { json(JSONWriter.bytes(of: value)) }

    private static func json(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The OpenAPI document of an API, an embedded file.
    static func document(_ path: String) -> Response {
        guard let text = EmbeddedText.files[path] else { preconditionFailure("\(path) is not embedded") }
        return json(text.withUTF8Buffer(Array.init))
    }

    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The answer to a request that failed, in the one form of all errors of the gateway.
    static func error(_ error: any HTTPResponseError, to request: Request) -> Response {
        let status = error.status
        // A status that is made from its code alone has no phrase.
        let phrase = HTTPResponseStatus(statusCode: status.code).reasonPhrase
        let message = (error as? HTTPError)?.body ?? phrase
        let name = phrase.filter { $0 != " " }
        var response = Response(
            APIResponse(
                .refused(status: status.code, name: name, message),
                prefersJSON: APIRequest.prefersJSON(request.headers[.accept])),
            to: APIRequest.Method(rawValue: request.method.rawValue) ?? .get)
        for field in (error as? HTTPError)?.headers ?? [:] { response.headers.append(field) }
        return response
    }

    static var done: Response { Response(status: .noContent) }
}

extension HTTPError {
    init(allowing methods: [APIRequest.Method]) {
        let error = APIError.methodNotAllowed(methods)
        self.init(
            .methodNotAllowed, headers: [.allow: methods.map(\.rawValue).joined(separator: ", ")],
            message: error.message)
    }
}

/// Writes an answer without a request past the compressor. The compressor queues the accepted encodings of
/// each request, and traps on an answer without a request. The server sends such an answer, status 400, to
/// malformed bytes and to a request that its peer cuts short.
final class UnsolicitedResponses: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let compressor: HTTPResponseCompressor
    private var unanswered = 0
    /// Whether the current answer has no request.
    private var isUnasked = false

    /// Logs the status of an answer without a request.
    private let log: @Sendable (HTTPResponse.Status) -> Void

    init(
        past compressor: HTTPResponseCompressor,
        logging log: @escaping @Sendable (HTTPResponse.Status) -> Void
    ) {
        (self.compressor, self.log) = (compressor, log)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { unanswered += 1 }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data), !head.isInformational {
            isUnasked = unanswered == 0
            unanswered = max(0, unanswered - 1)
            if isUnasked { log(HTTPResponse.Status(code: Int(head.status.code))) }
        }
        guard isUnasked else { return context.write(data, promise: promise) }
        do {
            // A write from the compressor's context skips the compressor.
            try context.pipeline.syncOperations.context(handler: compressor).write(data, promise: promise)
        } catch {
            promise?.fail(error)
            context.close(promise: nil)
        }
    }
}

/// Removes `Host` from a request that has several, or whose target names another host: ``OwnOrigin`` refuses
/// it then. The codec forwards only the first `Host`, and only the path of an absolute URI.
final class OneHost: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let hosts = head.headers["Host"]
        if hosts.count > 1 || !AllowedHosts.isTarget(head.uri, of: hosts.first ?? "") {
            head.headers.remove(name: "Host")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

extension HTTPResponseHead {
    fileprivate var isInformational: Bool {
        (100..<200).contains(status.code) && status != .switchingProtocols
    }
}

/// Closes a connection whose peer does not read: its writes would never finish, and it would keep its place
/// among ``WebLimits/connections``.
///
/// While bytes wait to be sent, a timer checks them every ``WebLimits/readTimeout``. If the system accepted
/// none since the last check, the handler closes the connection, and its writes fail. This happens after one
/// to two such intervals. A peer that reads slowly keeps its connection.
final class UnreadResponses: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var written = 0
    /// The number of these bytes that the system had accepted at the last check; nil before the first check.
    private var acceptedBefore: Int?
    private var nextLook: Scheduled<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
        guard nextLook == nil else { return }
        acceptedBefore = nil
        scheduleLook(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        nextLook?.cancel()
        nextLook = nil
    }

    private func scheduleLook(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        nextLook = context.eventLoop.scheduleTask(in: WebLimits.readTimeout) {
            let (handler, context) = bound.value
            handler.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        nextLook = nil
        let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        guard waiting > 0 else { return }
        let accepted = written - waiting
        if let acceptedBefore, accepted <= acceptedBefore { return context.close(promise: nil) }
        acceptedBefore = accepted
        scheduleLook(context)
    }
}
