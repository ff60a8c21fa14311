import ArgumentParser
import LoadCore
import NIOCore
import NIOHTTP1
import NIOPosix
import ProcessSupport
import UserText

/// `http-load push`: pushes the metrics of `fleet load --metrics-push`.
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Push the metrics of `fleet load --metrics-push`.",
        shouldDisplay: false)

    @Option(help: "The address.", transform: { try PushURL($0) })
    var url: PushURL

    /// Pushes each text of standard input, and writes how that ended.
    func run() throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let push = MetricsPush(url: url, loop: group.next())
        while let line = readLine() {
            let order = try HTTPLoadLine.decode(MetricsPushOrder.self, from: Array(line.utf8))
            let report = MetricsPushReport(problem: push.problem(pushing: order.text))
            try TextOutput.standardOutput.write(HTTPLoadLine.of(report))
        }
        try group.syncShutdownGracefully()
    }
}

/// Sends metrics to a Pushgateway: a connection and a PUT for each text.
struct MetricsPush: Sendable {
    /// The time within which a push must end.
    private static let timeout: TimeAmount = .seconds(5)

    let url: PushURL
    let loop: any EventLoop

    /// Pushes a text, and blocks the calling thread meanwhile; returns why that failed, or nil.
    func problem(pushing text: String) -> String? {
        let answer = loop.makePromise(of: String?.self)
        let connection = ClientBootstrap(group: loop)
            .connectTimeout(Self.timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(
                        PushHandler(request: request(text), answer))
                }
            }
            .connect(host: url.server.host.name, port: Int(url.server.port))
        connection.whenFailure { answer.fail($0) }
        let timer = loop.scheduleTask(in: Self.timeout) { answer.succeed("no answer within 5 s") }
        defer {
            timer.cancel()
            connection.whenSuccess { $0.close(promise: nil) }
        }
        do {
            return try answer.futureResult.wait()
        } catch {
            return HTTPLoadFailure.reason(of: error)
        }
    }

    private func request(_ text: String) -> (head: HTTPRequestHead, body: ByteBuffer) {
        let body = ByteBuffer(string: text)
        let headers: HTTPHeaders = [
            "Host": url.server.authority, "Content-Type": MetricsText.contentType,
            "Content-Length": "\(body.readableBytes)", "Connection": "close",
        ]
        return (HTTPRequestHead(version: .http1_1, method: .PUT, uri: url.path, headers: headers), body)
    }
}

private final class PushHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: (head: HTTPRequestHead, body: ByteBuffer)
    /// Takes why the push failed, or nil.
    private let answer: EventLoopPromise<String?>

    init(request: (head: HTTPRequestHead, body: ByteBuffer), _ answer: EventLoopPromise<String?>) {
        (self.request, self.answer) = (request, answer)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(request.body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let isDone = (200..<300).contains(head.status.code)
        answer.succeed(isDone ? nil : "status \(head.status.code) \(head.status.reasonPhrase)")
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.succeed("\(error)")
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.succeed("the connection ended without an answer")
        context.fireChannelInactive()
    }
}
