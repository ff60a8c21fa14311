import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import gateway

@Suite("Requests that arrive in pieces")
struct WholeRequestsTests {
    private static let post = HTTPRequestPart.head(
        HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/"))

    /// Both ends of a connection.
    private struct Connection {
        let channel = EmbeddedChannel()
        let requests = WholeRequests()

        init() throws {
            try channel.pipeline.syncOperations.addHandler(requests)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func send(_ parts: HTTPRequestPart...) throws {
            for part in parts { try channel.writeInbound(part) }
        }

        func send(bytes: Int) throws { try send(.body(ByteBuffer(repeating: 1, count: bytes))) }

        /// The parts that were passed on.
        func handedOn() throws -> [HTTPRequestPart] {
            var parts: [HTTPRequestPart] = []
            while let part: HTTPRequestPart = try channel.readInbound() { parts.append(part) }
            return parts
        }

        /// The status of the next answer on the wire; nil if there is none.
        func status() throws -> Int? { try head()?.status.code }

        /// The head of the next answer on the wire; nil without an answer.
        func head() throws -> HTTPResponse? {
            while let part: HTTPResponsePart = try channel.readOutbound() {
                if case .head(let head) = part { return head }
            }
            return nil
        }

        func answer() throws {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }

        func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
    }

    @Test("requests are passed on when they are complete, one after another")
    func whole() throws {
        let connection = try Connection()
        try connection.send(Self.post)
        try connection.send(bytes: 3)
        try connection.send(bytes: 4)
        #expect(try connection.handedOn().isEmpty)
        try connection.send(.end(nil), Self.post, .end(nil))
        let whole = HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 7))
        #expect(try connection.handedOn() == [Self.post, whole, .end(nil), Self.post, .end(nil)])
        connection.wait(.hours(1))
        #expect(try connection.status() == nil)
        #expect(connection.channel.isActive)
    }

    @Test("the answer to an offered upgrade closes the connection, on which nothing more is read")
    func upgrade() throws {
        let connection = try Connection()
        var request = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/")
        request.headerFields[.connection] = "Upgrade, HTTP2-Settings"
        request.headerFields[.upgrade] = "h2c"
        try connection.send(Self.post, .end(nil), .head(request), .end(nil))
        request.headerFields[.connection] = "close"
        #expect(try connection.handedOn() == [Self.post, .end(nil), .head(request), .end(nil)])
        try connection.answer()
        #expect(try connection.head()?.headerFields[.connection] == nil)
        try connection.answer()
        #expect(try connection.head()?.headerFields[.connection] == "close")
    }

    @Test(
        "requests are refused in JSON if they accept JSON, and otherwise as a page",
        arguments: [("application/json", "application/json"), ("*/*", "text/html; charset=utf-8")])
    func refusedAsAccepted(accepted: String, answered: String) throws {
        for isTooLarge in [true, false] {
            let connection = try Connection()
            var request = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/api/v2/x")
            request.headerFields[.accept] = accepted
            try connection.send(.head(request))
            if isTooLarge {
                try connection.send(bytes: WebLimits.bodyBytes + 1)
            } else {
                try connection.send(bytes: 1)
                connection.wait(WebLimits.requestTimeout)
            }
            let head = try #require(try connection.head())
            #expect(head.status.code == (isTooLarge ? 413 : 408))
            #expect(head.headerFields[.contentType] == answered)
            #expect(head.headerFields[.accessControlAllowOrigin] == "*")
        }
    }

    @Test("a request may be as large as the limit, and is refused beyond it")
    func size() throws {
        let connection = try Connection()
        try connection.send(Self.post)
        try connection.send(bytes: WebLimits.bodyBytes)
        try connection.send(.end(nil))
        #expect(try connection.handedOn().count == 3)
        try connection.answer()
        #expect(try connection.status() == 200)

        try connection.send(Self.post)
        try connection.send(bytes: WebLimits.bodyBytes)
        try connection.send(bytes: 1)
        #expect(try connection.status() == 413)
        #expect(!connection.channel.isActive)
        #expect(try connection.handedOn().isEmpty)
    }

    @Test("a request whose rest is late is refused, even if parts of it keep arriving")
    func lateness() throws {
        let connection = try Connection()
        try connection.send(Self.post)
        for _ in 0..<9 {
            connection.wait(.seconds(1))
            try connection.send(bytes: 1)
        }
        #expect(try connection.status() == nil)
        connection.wait(.seconds(1))
        #expect(try connection.status() == 408)
        #expect(!connection.channel.isActive)
        #expect(try connection.handedOn().isEmpty)
    }

    @Test("a late request is not refused while an earlier one has no answer, but closes the connection")
    func order() throws {
        let connection = try Connection()
        try connection.send(Self.post, .end(nil), Self.post)
        connection.wait(.seconds(10))
        #expect(try connection.status() == nil)
        #expect(!connection.channel.isActive)
    }

    @Test("a request has 5 s for its headers, and a silent connection is closed without an answer")
    func headers() throws {
        let silent = try Connection()
        silent.wait(.milliseconds(4_999))
        #expect(silent.channel.isActive)
        silent.wait(.milliseconds(1))
        #expect(!silent.channel.isActive)
        #expect(try silent.status() == nil)

        let dripping = try Connection()
        dripping.requests.bytesArrive()
        for _ in 0..<4 {
            dripping.wait(.seconds(1))
            dripping.requests.bytesArrive()
        }
        dripping.wait(.seconds(1))
        #expect(try dripping.status() == 408)
        #expect(!dripping.channel.isActive)
    }

    @Test("the next request has 5 s for its headers from its first byte on")
    func nextHeaders() throws {
        let connection = try Connection()
        connection.requests.bytesArrive()
        try connection.send(Self.post, .end(nil))
        connection.wait(.seconds(60))
        try connection.answer()
        connection.wait(.seconds(60))
        #expect(connection.channel.isActive)
        connection.requests.bytesArrive()
        connection.wait(.seconds(5))
        #expect(!connection.channel.isActive)
    }
}

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
