import GatewayCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import gateway

@Suite("Requests that no route sees")
struct OwnOriginTests {
    /// Decodes the head of a request; nil if the decoder refuses it.
    private static func decoded(_ head: String) throws -> HTTPRequest? {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandlers([OneHost(), HTTP1ToHTTPServerCodec(secure: false)])
        _ = try? channel.writeInbound(ByteBuffer(string: "\(head)\r\n\r\n"))
        guard case .head(let request)? = try channel.readInbound(as: HTTPRequestPart.self) else { return nil }
        return request
    }

    /// Returns the answer to a request; nil if the decoder refuses it.
    private static func answer(to head: String) async throws -> Response? {
        guard let request = try decoded(head) else { return nil }
        let router = Router(context: GatewayContext.self)
        router.add(middleware: SecurityHeaders(isSecure: false))
        router.add(middleware: OwnOrigin(hosts: AllowedHosts(bound: "127.0.0.1", publicNames: [])))
        router.get("page") { _, _ in "" }
        let source = ApplicationRequestContextSource(
            channel: EmbeddedChannel(), logger: Logger(label: "test"))
        return try await router.buildResponder().respond(
            to: Request(head: request, body: RequestBody(buffer: ByteBuffer())),
            context: GatewayContext(source: source))
    }

    @Test(
        "a request names one host, and that is the gateway's",
        arguments: [
            ("/page", ["localhost:8701"], 200), ("/page", ["127.0.0.1"], 200), ("/page", ["LOCALHOST."], 200),
            ("/page", ["[::1]:8701"], 200), ("/page", ["evil.example"], 421),
            ("/page", ["127.evil.example.com"], 421), ("/page", [], 400), ("/page", [""], 400),
            ("/page", ["localhost", "localhost"], 400), ("/page", ["localhost", "evil.example"], 400),
            ("/page", ["localhost, evil.example"], 400), ("/page", ["localhost evil.example"], 400),
            ("/page", ["localhost/evil"], 400), ("/page", ["localhost?evil"], 400),
            ("/page", ["evil@localhost"], 400), ("/page", ["localhost:http"], 400),
            ("/page", ["localhost:65536"], 400), ("/page", ["[::1"], 400), ("/page", ["[::1]evil"], 400),
            ("http://localhost:8701/page", ["localhost:8701"], 200),
            ("HTTP://LOCALHOST/page", ["localhost"], 200), ("http://evil.example/page", ["localhost"], 400),
            ("http://localhost/page", ["evil.example"], 400),
            ("http://evil@localhost/page", ["localhost"], 400),
            ("ftp://localhost/page", ["localhost"], 400), ("page", ["localhost"], 400),
        ])
    func hosts(target: String, names: [String], status: Int) async throws {
        let fields = names.map { "\r\nHost: \($0)" }.joined()
        let answer = try await Self.answer(to: "GET \(target) HTTP/1.1\(fields)")
        #expect(answer?.status.code ?? 400 == status)
    }

    @Test("every answer isolates its window and allows no device", arguments: ["/page", "/no"])
    func headers(path: String) async throws {
        let answer = try #require(try await Self.answer(to: "GET \(path) HTTP/1.1\r\nHost: localhost"))
        let fields = answer.headers.reduce(into: [:]) { $0[$1.name.canonicalName] = $1.value }
        #expect(fields["cross-origin-opener-policy"] == "same-origin")
        let policy = try #require(fields["permissions-policy"])
        #expect(policy.contains("camera=()") && policy.contains("geolocation=()"))
    }
}
