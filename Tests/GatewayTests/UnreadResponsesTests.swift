import NIOCore
import NIOEmbedded
import Testing

@testable import gateway

@Suite("Unread answers")
struct UnreadResponsesTests {
    /// A connection into which the system accepts flushed bytes only.
    private struct Connection {
        let channel = EmbeddedChannel()

        init() throws {
            try channel.pipeline.syncOperations.addHandler(UnreadResponses())
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        /// Begins to write; the system accepts none of it yet.
        func write(bytes: Int) {
            channel.write(ByteBuffer(repeating: 1, count: bytes), promise: nil)
        }

        func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
    }

    @Test("a connection that reads none of its answer for a while is closed")
    func unread() throws {
        let connection = try Connection()
        connection.write(bytes: 1_000)
        connection.wait(WebLimits.readTimeout * 2 - .milliseconds(1))
        #expect(connection.channel.isActive)
        connection.wait(.milliseconds(1))
        #expect(!connection.channel.isActive)
    }

    @Test("a connection that reads its answer slowly stays open")
    func slow() throws {
        let connection = try Connection()
        for _ in 0..<20 {
            connection.write(bytes: 1_000)
            connection.wait(WebLimits.readTimeout - .milliseconds(1))
            connection.channel.flush()
        }
        #expect(connection.channel.isActive)
        connection.wait(.hours(1))
        #expect(connection.channel.isActive)
    }

    @Test("the limit for reading starts again after everything was read")
    func again() throws {
        let connection = try Connection()
        for _ in 0..<3 {
            connection.write(bytes: 10)
            connection.channel.flush()
            connection.wait(.minutes(5))
        }
        connection.write(bytes: 10)
        connection.wait(WebLimits.readTimeout * 2)
        #expect(!connection.channel.isActive)
    }
}
