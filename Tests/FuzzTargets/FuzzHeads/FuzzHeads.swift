public import FuzzSupport
import GatewayCore
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import UserText

/// The decoder of the heads of HTTP requests.
public enum FuzzHeads {
    /// Its target.
    public static let targets = [
        FuzzTarget("http-head") { input, _ in
            for head in heads(in: input) { check(head) }
        }
    ]

    /// Decodes the heads of requests with the gateway's limits.
    private static func heads(in input: [UInt8]) -> [HTTPRequestPart] {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize) = (16 * 1_024, 16 * 1_024)
        limits.maxHeaderFieldCount = 100
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let pipeline = channel.pipeline.syncOperations
        var parts: [HTTPRequestPart] = []
        do {
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false,
                withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try channel.writeInbound(ByteBuffer(bytes: input))
        } catch {}
        while let part = try? channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        return parts
    }

    private static func check(_ part: HTTPRequestPart) {
        guard case .head(let head) = part else { return }
        let path = head.path ?? ""
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        let fields = head.headerFields
        func field(_ name: String) -> String? { fields.first { $0.name.canonicalName == name }?.value }
        let request = APIRequest(
            .get, path: parts.first ?? "", query: parts.count > 1 ? parts[1] : "",
            authorization: field("authorization"), accept: field("accept"),
            idempotencyKey: field("idempotency-key"))
        _ = (APIRoute(path: request.path)?.pattern, request.prefersJSON, try? request.credentials.token())
        _ = request.idempotencyKey.map { try? IdempotencyKey($0) }
        _ = RecordFields(query: request.query["fields"])
        _ = hosts.allows(head.authority ?? "")
        guard let proxy = IPAddress("10.0.0.1"), let network = IPNetwork("10.0.0.0/8") else { return }
        let forwarded = fields.filter { $0.name.canonicalName == "x-forwarded-for" }.map(\.value)
        let client = IPAddress.client(behind: proxy, forwarded: forwarded, trusting: [network])
        _ = (client.subscriber, client.site)
    }

    private static let hosts = AllowedHosts(bound: "::", publicNames: ["fleet.example.com"])
}
