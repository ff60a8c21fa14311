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

    /// The port of the ROUTER.
    let port: UInt16

    init() throws {
        context = try Context()
        router = try Socket(.router, context: context)
        dealer = try Socket(.dealer, context: context)
        try router.bind(.tcp(host: "127.0.0.1", port: 0))
        let endpoint = try #require(try router.lastEndpoint).description
        port = try #require(UInt16(endpoint.split(separator: ":").last ?? ""))
    }

    func connect(to port: Int) throws {
        try dealer.connect(.tcp(host: "127.0.0.1", port: UInt16(port)))
    }

    func end() {
        dealer.close()
        router.close()
        context.terminate()
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
                _ = try router.send((0..<3).map { frames.array(at: $0) })
            }
            while try dealer.receive(into: &frames) { numbers.append(frames.array(at: 0)[0]) }
        }
        return numbers
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
