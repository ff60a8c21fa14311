import Bus
import ControllerSupport
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Subscriptions of one connection to the stream", .timeLimit(.minutes(1)))
struct StreamSubscriptionTests {
    /// The maximum number of accounts that a gateway mirrors.
    private static let replicas = 320

    private static func ticket(_ number: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }
    }

    @Test("a gateway's subscriptions can change without end as its accounts change and renew tickets")
    func renewal() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/stream")
        let context = try Context()
        defer { context.terminate() }
        var options = SocketOptions.ofController(.stream, .xpub, connections: 8)
        options.receiveTimeout = .seconds(5)
        let stream = try Socket(.xpub, context: context, options: options)
        defer { stream.close() }
        try stream.bind(endpoint)
        let gateway = try Socket(.sub, context: context, options: .defaults(for: .sub))
        defer { gateway.close() }
        try gateway.subscribe(prefix: Topic.streams)
        for number in 0..<Self.replicas { try gateway.subscribe(prefix: Self.ticket(number)) }
        try gateway.connect(endpoint)
        var frames = Frames()
        for _ in 0...Self.replicas { #expect(try stream.receiveWaiting(into: &frames)) }
        for round in 1...8 {
            for number in 0..<Self.replicas {
                try gateway.subscribe(prefix: Self.ticket(round * Self.replicas + number))
                try gateway.unsubscribe(prefix: Self.ticket((round - 1) * Self.replicas + number))
            }
            // All of a round wait: the controller was stalled.
            for _ in 0..<2 * Self.replicas { try #require(try stream.receiveWaiting(into: &frames)) }
        }
        #expect(stream.connectionCounts.accepted == 1)
        #expect(stream.connectionCounts.ended == 0)
    }
}
