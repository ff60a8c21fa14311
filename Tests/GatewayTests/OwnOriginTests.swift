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
        router.add(
            middleware: RequestRules(
                isSecure: false, hosts: AllowedHosts(bound: "127.0.0.1", publicNames: [])))
        router.get("page") { _, _ in "" }
        router.get("api/refused") { _, _ -> Response in
            throw HTTPError(HTTPResponse.Status(code: 403), message: "not <you>")
        }
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

    @Test(
        "every error has one form, as JSON or as a page",
        arguments: [
            ("GET /api/refused", "localhost", 403, "Forbidden", "not <you>"),
            ("GET /api/v9/nope", "localhost", 404, "NotFound", "Not Found"),
            ("TRACE /page", "localhost", 404, "NotFound", "Not Found"),
            ("QUERY /api/v1/users/me", "localhost", 405, "MethodNotAllowed", "allowed: GET"),
            ("TRACE /o/token/", "localhost", 405, "MethodNotAllowed", "allowed: POST"),
            (
                "GET /page", "evil.example", 421, "MisdirectedRequest",
                "unknown name in Host: use the gateway's address, or start it with --public-name"
            ),
        ])
    func errors(target: String, host: String, status: Int, name: String, message: String) async throws {
        let head = "\(target) HTTP/1.1\r\nHost: \(host)"
        let json = try #require(try await Self.answer(to: "\(head)\r\nAccept: application/json"))
        #expect(json.status.code == status)
        #expect(
            try await Self.text(of: json)
                == #"{"status":"failed","reason":"\#(name)","message":"\#(message)"}"#)
        let page = try #require(try await Self.answer(to: head))
        #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        let text = try await Self.text(of: page)
        #expect(text.contains("<h>\(status) \(name)</h>") && !text.contains("<you>"))
    }

    private static func text(of response: Response) async throws -> String {
        let collector = BodyCollector()
        try await response.body.write(collector)
        return String(buffer: collector.bytes)
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

/// The body of a response, in memory.
private final class BodyCollector: ResponseBodyWriter {
    private(set) var bytes = ByteBuffer()

    func write(_ buffer: ByteBuffer) { bytes.writeImmutableBuffer(buffer) }
    func finish(_ trailingHeaders: HTTPFields?) {}
}
