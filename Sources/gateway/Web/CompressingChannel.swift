import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOHTTPTypesHTTP1

/// HTTP/1 whose requests come whole and whose answers are read, and that compresses what says
/// `Vary: Accept-Encoding`, for whoever takes it so.
struct CompressingChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    /// Bytes from which on a body is smaller on the wire when it is compressed, packets counted.
    static let worthwhileBytes = 1_024

    let plain: HTTP1Channel
    let connections: OpenConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let place = connections.open(channel)
        return plain.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            let compressor = HTTPResponseCompressor(responseCompressionPredicate: Self.intent)
            try pipeline.addHandler(compressor, position: .before(codec))
            try pipeline.addHandler(UnaskedAnswers(past: compressor), position: .after(compressor))
            let requests = WholeRequests(at: place)
            try pipeline.addHandler(requests, position: .after(codec))
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ArrivingBytes(of: requests), position: .before(decoder))
            try pipeline.addHandler(UnreadAnswers(), position: .first)
            if place == nil { OpenConnections.end(channel) }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        await plain.handle(value: value, logger: logger)
    }

    private static func intent(
        _ head: inout HTTPResponseHead, isSupported: Bool
    ) -> HTTPResponseCompressor.CompressionIntent {
        head.headers[canonicalForm: "Vary"].contains { $0.lowercased() == "accept-encoding" }
            ? .compressIfPossible : .doNotCompress
    }
}

extension HTTPServerBuilder {
    /// HTTP/1 whose answers may be compressed, over TLS where there is a certificate.
    static func compressing(
        _ configuration: HTTP1Channel.Configuration, _ connections: OpenConnections,
        certificates: Certificates?
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let plain = CompressingChannel(
                plain: HTTP1Channel(responder: responder, configuration: configuration),
                connections: connections)
            guard let certificates else { return plain }
            return SecureChannel(plain: plain, certificates: certificates)
        }
    }
}
