// A server on one loop, and a client on another that awaits the replies. Each is an actor with its loop as
// executor, so a socket never leaves its thread.
import Bus

/// Replies to each request with its text in capitals.
actor Capitals {
    private let loop: Loop
    private var socket: Socket?
    private var frames = Frames()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: Loop) {
        self.loop = loop
    }

    /// Binds a socket on the loop's thread, on which all uses of the socket must be.
    func serve(_ endpoint: Endpoint) throws {
        let socket = try Socket(.router, context: loop.context)
        try socket.bind(endpoint)
        self.socket = socket
        loop.register(socket) { [unowned self] in assumeIsolated { $0.drain() } }
    }

    private func drain() {
        do {
            // A REQ or DEALER client sends an empty delimiter before the request; the reply has one too.
            while let socket, try socket.receive(into: &frames) {
                guard frames.count == 3, let peer = frames.routingID(at: 0) else { continue }
                let text = String(decoding: frames[2], as: UTF8.self).uppercased()
                _ = try socket.send(to: peer, delimited: Array(text.utf8))
            }
        } catch {
            print("server: \(error)")
        }
    }
}

/// Sends one request at a time, and awaits the reply for a limited time.
actor Asker {
    private let loop: Loop
    private var socket: Socket?
    private var frames = Frames()
    private var waiting: CheckedContinuation<String?, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: Loop) {
        self.loop = loop
    }

    func connect(to endpoint: Endpoint) throws {
        let socket = try Socket(.dealer, context: loop.context)
        try socket.connect(endpoint)
        self.socket = socket
        loop.register(socket) { [unowned self] in assumeIsolated { $0.drain() } }
    }

    /// Returns the reply; nil if none arrives in time.
    func ask(_ text: String, within limit: Duration) async throws -> String? {
        guard let socket, try socket.send(delimited: Array(text.utf8)) == .sent else { return nil }
        let deadline = loop.schedule(after: limit) { [unowned self] in assumeIsolated { $0.answer(nil) } }
        defer { loop.cancel(deadline) }
        return await withCheckedContinuation { waiting = $0 }
    }

    private func drain() {
        while let socket, (try? socket.receive(into: &frames)) == true {
            answer(String(decoding: frames[1], as: UTF8.self))
        }
    }

    private func answer(_ text: String?) {
        waiting?.resume(returning: text)
        waiting = nil
    }
}

let context = try Context()
let endpoint = try Endpoint.inproc("capitals")
let serverLoop = try Loop.start(name: "server", context: context)
let clientLoop = try Loop.start(name: "client", context: context)
let server = Capitals(on: serverLoop)
try await server.serve(endpoint)
let asker = Asker(on: clientLoop)
try await asker.connect(to: endpoint)
for word in ["one", "two", "three"] {
    print("\(word) → \(try await asker.ask(word, within: .seconds(5)) ?? "no answer")")
}
await clientLoop.shutdown()
await serverLoop.shutdown()
context.terminate()
