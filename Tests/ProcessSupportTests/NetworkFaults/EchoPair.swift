import Bus
import TestSupport
import Testing

/// A DEALER and a ROUTER that sends everything back, with a relay between them, all in one thread.
final class EchoPair {
    private static let clock = ContinuousClock()

    private let context: Context
    private let router: Socket
    private let dealer: Socket
    private var frames = Frames()

    /// The number of messages that arrived without some of their frames.
    private(set) var torn = 0
    /// The port of the ROUTER.
    let port: UInt16

    private init(_ context: Context, _ security: (bound: SocketSecurity, connected: SocketSecurity)) throws {
        self.context = context
        var (bound, connected) = (SocketOptions.defaults(for: .router), SocketOptions.defaults(for: .dealer))
        (bound.security, connected.security) = security
        router = try Socket(.router, context: context, options: bound)
        dealer = try Socket(.dealer, context: context, options: connected)
        try router.bind(.tcp(host: "127.0.0.1", port: 0))
        let endpoint = try #require(try router.lastEndpoint).description
        port = try #require(UInt16(endpoint.split(separator: ":").last ?? ""))
    }

    /// Runs a test with a pair.
    ///
    /// - Parameter isEncrypted: Whether the two use CURVE.
    static func with(isEncrypted: Bool, _ body: (EchoPair) async throws -> Void) async throws {
        let context = try Context()
        defer { context.terminate() }
        let admission = try Admission(on: Loop.start(name: "zap", context: context))
        var security = (bound: SocketSecurity.none, connected: SocketSecurity.none)
        if isEncrypted {
            try await admission.open()
            let keys = try CurveKeyPair.generate()
            security.bound = .server(try CurveServer(keys: keys, domain: "echo"))
            security.connected = .client(server: keys.publicKey, keys: try .generate())
        }
        let result: Result<Void, any Error>
        do {
            let pair = try EchoPair(context, security)
            defer { pair.end() }
            result = .success(try await body(pair))
        } catch {
            result = .failure(error)
        }
        await admission.end()
        try result.get()
    }

    func connect(to port: Int) throws {
        try dealer.connect(.tcp(host: "127.0.0.1", port: UInt16(port)))
    }

    private func end() {
        dealer.close()
        router.close()
    }

    /// Sends messages, each of a number and some bytes.
    func send(_ numbers: Range<UInt8>, bytes: Int = 10) throws {
        for number in numbers {
            let sent = try dealer.sendWaiting([[number], [UInt8](repeating: number, count: bytes)])
            try #require(sent == .sent)
        }
    }

    /// The numbers that come back until there are as many, or the time limit passes.
    func replies(_ count: Int, within limit: Duration = .seconds(10)) throws -> [UInt8] {
        let start = Self.clock.now
        var numbers: [UInt8] = []
        while numbers.count < count, Self.clock.now - start < limit.slowed {
            while try router.receive(into: &frames) {
                guard isWhole(3) else { continue }
                _ = try router.send((0..<3).map { frames.array(at: $0) })
            }
            while try dealer.receive(into: &frames) {
                if isWhole(2) { numbers.append(frames.array(at: 0)[0]) }
            }
        }
        return numbers
    }

    /// Whether the message has all its frames; counts it otherwise.
    private func isWhole(_ count: Int) -> Bool {
        if frames.count != count { torn += 1 }
        return frames.count == count
    }

    /// Sends one message after another until one comes back.
    ///
    /// - Returns: The time it took; nil if the time limit passed.
    func recovery(within limit: Duration = .seconds(10)) throws -> Duration? {
        let start = Self.clock.now
        while Self.clock.now - start < limit.slowed {
            _ = try dealer.send([[0], []])
            if try !replies(1, within: .milliseconds(50)).isEmpty { return Self.clock.now - start }
        }
        return nil
    }
}

/// Admits every key.
private actor Admission {
    private let loop: Loop
    private var authenticator: Authenticator?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: Loop) {
        self.loop = loop
    }

    func open() throws {
        authenticator = try Authenticator(on: loop) { _ in true }
    }

    func end() async {
        authenticator?.close()
        await loop.shutdown()
    }
}
