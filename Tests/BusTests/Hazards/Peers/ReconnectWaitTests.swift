import Foundation
import Testing

@testable import Bus

@Suite("Hazard: the random part of the waits before a reconnect", .timeLimit(.minutes(1)))
struct ReconnectWaitTests {
    /// libzmq 4.3.5 adds nothing to a wait if there is a maximum.
    private static let addsToMaximum = LibZMQ.version == "4.3.4"

    /// The first waits of a socket whose peer is absent, milliseconds.
    private static func waits(_ count: Int, _ options: SocketOptions) throws -> [Int64] {
        let directory = try TemporaryDirectory()
        let loop = try Loop(name: "monitor", context: Fixture.context)
        let dealer = try Socket(.dealer, context: Fixture.context, options: options)
        var waits: [Int64] = []
        try dealer.monitor(.attempts).onEvent(on: loop) { event, _ in
            if case .connectRetried(let wait) = event {
                waits.append(wait.components.attoseconds / 1_000_000_000_000_000)
            }
            if waits.count >= count { loop.stop() }
        }
        try dealer.connect(.ipc(path: directory.path + "/socket"))
        loop.run()
        dealer.close()
        return waits
    }

    @Test("a wait is longer than the maximum by less than the interval")
    func longest() throws {
        var options = SocketOptions.defaults(for: .dealer)
        options.reconnect = .init(interval: .milliseconds(10), maximum: .milliseconds(12))
        let waits = try Self.waits(20, options)
        #expect(waits.allSatisfy { (10..<12 + 10).contains($0) }, "\(waits)")
        #expect(waits.contains { $0 > 12 } == Self.addsToMaximum, "\(waits)")
    }

    @Test("two processes wait alike with the same interval, and the options draw different ones")
    func alike() async throws {
        var outputs: [String] = []
        for _ in 1...2 {
            let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                var options = SocketOptions.defaults(for: .dealer)
                options.reconnect = .init(interval: .milliseconds(20), maximum: .zero)
                print("waits=\(try Self.waits(6, options))")
            }
            let output = String(decoding: try #require(ended).standardOutputContent, as: UTF8.self)
            outputs.append(String(try #require(output.firstMatch(of: /waits=\[(.*)\]/)).output.1))
        }
        #expect(outputs[0] == outputs[1])
        #expect(Set(outputs[0].split(separator: ", ")).count > 1, "\(outputs)")
        let intervals = (0..<20).map { _ in SocketOptions.defaults(for: .dealer).reconnect.interval }
        #expect(Set(intervals).count > 5)
    }
}
