import NIOCore

/// Ends a connection whose other end does not read: whoever writes to it would wait for ever, and it would
/// keep its place among ``WebLimits/connections``.
///
/// What has to be sent is looked at every ``WebLimits/readPatience`` while there is any; where the system took
/// nothing of it from one look to the next the connection ends, and the writes with it. So it ends after one
/// to two times that. Whoever reads, however slowly, keeps theirs.
final class UnreadAnswers: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Bytes that were handed to the connection.
    private var written = 0
    /// Bytes of these that the system had taken at the last look.
    private var takenBefore = 0
    private var nextLook: Scheduled<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
        if nextLook == nil {
            takenBefore = taken(context)
            scheduleLook(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        nextLook?.cancel()
        nextLook = nil
    }

    private func taken(_ context: ChannelHandlerContext) -> Int {
        written - waiting(context)
    }

    /// Bytes that the system has not yet taken.
    private func waiting(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
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
        guard waiting(context) > 0 else { return }
        let taken = taken(context)
        guard taken > takenBefore else { return context.close(promise: nil) }
        takenBefore = taken
        scheduleLook(context)
    }
}
