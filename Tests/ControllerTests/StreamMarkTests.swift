import Bus
import ControllerSupport
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("The queue of an observer that does not read", .timeLimit(.minutes(1)))
struct StreamMarkTests {
    @Test("an observer's queue has a bound far below that of other sockets, and keeps its order")
    func bounded() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/stream")
        let context = try Context()
        defer { context.terminate() }
        var options = SocketOptions.ofController(.stream, .xpub, connections: 2)
        // libzmq ends the process if a connection breaks while a high-water mark stops its reading (4.3.4).
        options.heartbeat = nil
        let stream = try Socket(.xpub, context: context, options: options)
        defer { stream.close() }
        try stream.bind(endpoint)
        var reading = SocketOptions.defaults(for: .sub)
        // As little as possible beyond the connection.
        (reading.receiveHighWaterMark, reading.receiveTimeout) = (1, .milliseconds(500))
        reading.heartbeat = nil
        let observer = try Socket(.sub, context: context, options: reading)
        defer { observer.close() }
        try observer.subscribe(prefix: Topic.telemetry)
        try observer.connect(endpoint)
        var frames = Frames()
        #expect(try stream.receiveWaiting(into: &frames))
        try stream.approve(topic: Topic.telemetry)
        // As large as an update can be, with its number at the end.
        var update = [UInt8](repeating: 1, count: 3_000)
        for number in 0..<60_000 {
            update.replaceSubrange(0..<4, with: (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
            _ = try stream.send(topic: Topic.telemetry, payload: update)
        }
        var (count, last) = (0, -1)
        while try observer.receiveWaiting(into: &frames) {
            let number = frames.array(at: 1)[0..<4].enumerated().reduce(0) { $0 | Int($1.1) << ($1.0 * 8) }
            #expect(number > last)
            (count, last) = (count + 1, number)
        }
        // And the bytes in the connection.
        #expect((1..<SocketOptions.updatesPerObserver + 2_000).contains(count), "\(count) had waited")
    }
}
