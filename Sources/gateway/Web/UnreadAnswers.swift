import NIOCore

/// Ends a connection whose other end does not read: whoever writes to it would wait for ever, and it would
/// keep its place among ``WebLimits/connections``.
///
/// What has to be sent is looked at every ``WebLimits/readPatience`` while there is any; where none of it
/// left from one look to the next the connection ends, and the writes with it. So it ends after one to two
/// times that. Whoever reads, however slowly, keeps theirs.
final class UnreadAnswers: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    /// Writes of which the system has not yet taken everything.
    private var waiting = 0
    /// Writes of which it has, since the last look.
    private var taken = 0
    /// Bytes that waited at the last look.
    private var bytesBefore = Int.max
    private var nextLook: Scheduled<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        waiting += 1
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in bound.value.noteTaken() }
        if nextLook == nil { scheduleLook(context) }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        forget()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        forget()
    }

    private func noteTaken() {
        waiting -= 1
        taken += 1
    }

    private func scheduleLook(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        nextLook = context.eventLoop.scheduleTask(in: WebLimits.readPatience) {
            let (handler, context) = bound.value
            handler.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        forget()
        guard waiting > 0 else {
            (taken, bytesBefore) = (0, .max)
            return
        }
        // A single write may be large: its bytes tell that it goes on.
        let bytes = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        guard taken > 0 || bytes < bytesBefore else { return context.close(promise: nil) }
        (taken, bytesBefore) = (0, bytes)
        scheduleLook(context)
    }

    private func forget() {
        nextLook?.cancel()
        nextLook = nil
    }
}
