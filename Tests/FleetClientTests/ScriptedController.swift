import Bus
import FleetProtocol
import Synchronization
import Testing

/// A controller on real sockets: a test receives each request, and may answer it.
actor ScriptedController {
    /// A request and its sender.
    struct Asked: Sendable {
        let peer: RoutingID
        let request: ClientRequest
    }

    private nonisolated let loop: Loop
    private nonisolated let received: AsyncStream<Asked>
    private nonisolated let asked: AsyncStream<Asked>.Continuation
    private nonisolated let answered = Mutex<Set<UInt64>>([])
    /// The tokens that get tickets; nil for any.
    private nonisolated let known = Mutex<Set<[UInt8]>?>(nil)
    /// The cell to which the account was moved, and which refusals of tickets name; nil while it is here.
    nonisolated let successor = Mutex<CellName?>(nil)
    private var tickets: UInt8 = 0
    /// The prefixes of subscriptions in order: the topic of all streams, then each ticket.
    private nonisolated let subscriptions: AsyncStream<[UInt8]>
    private nonisolated let subscribed: AsyncStream<[UInt8]>.Continuation
    private var clients: Socket?
    private var stream: Socket?
    private var frames = Frames()

    init(on loop: Loop) {
        self.loop = loop
        (received, asked) = AsyncStream.makeStream(of: Asked.self)
        (subscriptions, subscribed) = AsyncStream.makeStream(of: [UInt8].self)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Refuses tickets to all other tokens from now on.
    nonisolated func know(_ tokens: Set<[UInt8]>) {
        known.withLock { $0 = tokens }
    }

    /// The ticket that is issued as the first, the second and so on.
    nonisolated static func ticket(_ number: UInt8) -> [UInt8] {
        [UInt8](repeating: number, count: Token.length)
    }

    /// Requests for unattended tickets.
    nonisolated let unattendedTickets = Mutex(0)
    /// The requests other than those for tickets, in order of arrival; ends with the controller.
    ///
    /// Without copies of requests that have a final answer, which a client sends if that answer is late.
    nonisolated var requests: AsyncFilterSequence<AsyncStream<Asked>> {
        received.filter { asked in !self.answered.withLock { $0.contains(asked.request.correlation) } }
    }

    /// Binds both sockets.
    func start(_ context: Context, clients: Endpoint, stream: Endpoint) throws {
        let router = try Socket(.router, context: context)
        let publisher = try Socket(.xpub, context: context)
        try router.bind(clients)
        try publisher.bind(stream)
        loop.register(router) { self.assumeIsolated { $0.receiveRequests() } }
        loop.register(publisher) { self.assumeIsolated { $0.receiveSubscriptions() } }
        self.clients = router
        self.stream = publisher
    }

    /// Ends the controller: both sockets close.
    func stop() {
        clients?.close()
        stream?.close()
        asked.finish()
        subscribed.finish()
    }

    /// The next request.
    nonisolated func next() async throws -> Asked {
        var iterator = requests.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    /// Answers the next request, which has that body if one is given, and returns it.
    @discardableResult
    nonisolated func answerNext(
        _ reply: ClientReply.Body, to expected: ClientRequest.Body? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ClientRequest {
        let asked = try await next()
        if let expected { #expect(asked.request.body == expected, sourceLocation: sourceLocation) }
        try await answer(asked, reply)
        return asked.request
    }

    /// Answers a request.
    func answer(_ asked: Asked, _ body: ClientReply.Body) throws {
        let correlation = asked.request.correlation
        switch body {
        case .refusal(.busy), .refusal(.moved): break  // The client sends it again.
        default: answered.withLock { _ = $0.insert(correlation) }
        }
        let reply = ClientReply(correlation: correlation, body: body)
        try answer(asked, bytes: reply.wireBytes)
    }

    /// Answers a request with any bytes.
    func answer(_ asked: Asked, bytes: [UInt8]) throws {
        let result = try #require(clients).send(to: asked.peer, delimited: bytes)
        #expect(result == .sent)
    }

    /// Answers many requests, and ends right after.
    func answerAndStop(_ asked: [Asked], _ body: ClientReply.Body) throws {
        for asked in asked { try answer(asked, body) }
        stop()
    }

    /// The prefix of the next subscription; nil once the controller has ended.
    nonisolated func nextSubscription() async -> [UInt8]? {
        var iterator = subscriptions.makeAsyncIterator()
        return await iterator.next()
    }

    /// Publishes an update to the first stream of an account; of the client's unless given.
    func publish(_ update: StreamUpdate, to account: AccountID? = nil) throws {
        try publish(update.wireBytes, to: account)
    }

    /// Publishes any bytes.
    func publish(_ bytes: [UInt8], to account: AccountID? = nil) throws {
        let topic = StreamTopic(account: try account ?? Samples.account(), number: 1)
        let result = try #require(stream).send(topic: topic.bytes, payload: bytes)
        #expect(result == .sent)
    }

    private func receiveRequests() {
        do {
            while let clients, try clients.receive(into: &frames) {
                let peer = frames.routingID(at: 0)
                let delimiter = frames.array(at: 1)
                #expect(delimiter.isEmpty)
                let request = try ClientRequest(wireBytes: frames.array(at: 2))
                let question = Asked(peer: try #require(peer), request: request)
                if case .streamTicket = request.body {
                    try giveTicket(question)
                } else {
                    asked.yield(question)
                }
            }
        } catch {
            Issue.record(error)
        }
    }

    private func giveTicket(_ asked: Asked) throws {
        if asked.request.isUnattended { unattendedTickets.withLock { $0 += 1 } }
        let token = try #require(asked.request.token)
        var body = ClientReply.Body.refusal(.unauthenticated)
        if let cell = successor.withLock({ $0 }) {
            body = .refusal(.moved(cell))
        } else if known.withLock({ $0?.contains(token.bytes) ?? true }) {
            tickets += 1
            let ticket = try #require(Token(Self.ticket(tickets)))
            body = .streamTicket(StreamTicket(ticket: ticket, topic: Topic.stream(of: try Samples.account())))
        }
        let correlation = asked.request.correlation
        _ = answered.withLock { $0.insert(correlation) }
        // A client that has closed since needs no ticket.
        let reply = ClientReply(correlation: correlation, body: body)
        _ = try clients?.send(to: asked.peer, delimited: reply.wireBytes)
    }

    /// The first byte distinguishes a subscription from its end.
    private func receiveSubscriptions() {
        do {
            while let stream, try stream.receive(into: &frames) {
                let message = frames.array(at: 0)
                if message.first == 1 { subscribed.yield(Array(message.dropFirst())) }
            }
        } catch {
            Issue.record(error)
        }
    }
}
