import FleetProtocol
import GatewayCore
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

extension APIRequest {
    /// Reads a request, with its body if its method can have one.
    init(_ request: Request) async throws {
        guard let method = Method(rawValue: request.method.rawValue) else { throw HTTPError(.notFound) }
        self.init(
            method, request.uri, request.headers,
            body: method.effect == .get ? [] : try await request.bodyBytes())
    }

    init(_ method: Method, _ uri: URI, _ headers: HTTPFields, body: [UInt8]) {
        self.init(
            method, path: uri.path, query: uri.query ?? "", authorization: headers[.authorization],
            accept: headers[.accept], idempotencyKey: headers[.idempotencyKey], body: body)
    }
}

/// Refuses methods that the router does not know, such as QUERY, at the paths of Sensibo's API.
enum KnownMethods {
    static func check(_ request: Request) throws(HTTPError) {
        if request.method != .options, APIRequest.Method(rawValue: request.method.rawValue) == nil,
            let route = APIRoute(path: request.uri.path)
        {
            throw HTTPError(allowing: route.methods)
        }
    }
}

extension Response {
    /// The response for an answer that a cloud fault may damage on its way.
    init(_ answer: APIResponse, to method: APIRequest.Method, over channel: any Channel) async throws {
        switch answer.damage {
        case nil: self.init(answer, to: method)
        case .html:
            let page = "<html><body><h1>We will be back soon</h1></body></html>\n"
            self.init(
                status: .ok, headers: [.contentType: APIResponse.ContentType.html.rawValue],
                body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
        case .truncated:
            let bytes = ByteBuffer(bytes: answer.body)
            self.init(
                status: HTTPResponse.Status(code: answer.status),
                headers: [.contentType: answer.contentType.rawValue],
                body: ResponseBody(contentLength: bytes.readableBytes) { writer in
                    if let half = bytes.getSlice(at: 0, length: bytes.readableBytes / 2) {
                        try await writer.write(half)
                    }
                    try await channel.close()
                })
        case .reset:
            // Without lingering, the system sends RST.
            try await (channel as? any SocketOptionProvider)?
                .setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            try await channel.close()
            throw CancellationError()
        }
    }

    /// The response for an answer; a response to HEAD has no body and is not compressed, which would add one.
    init(_ answer: APIResponse, to method: APIRequest.Method) {
        var headers: HTTPFields = [.contentType: answer.contentType.rawValue]
        if let wait = answer.retryAfter {
            headers[.retryAfter] = String(max(1, (wait.wholeMilliseconds + 999) / 1_000))
        }
        if !answer.allowed.isEmpty {
            headers[.allow] = answer.allowed.map(\.rawValue).joined(separator: ", ")
        }
        if let total = answer.total { headers[.totalCount] = String(total) }
        if method != .head, answer.body.count > CompressingChannel.worthwhileBytes {
            headers[.vary] = "Accept-Encoding"
        }
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
