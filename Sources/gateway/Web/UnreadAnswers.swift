import NIOCore

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
