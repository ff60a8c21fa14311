import Hummingbird
import HummingbirdCore
import NIOCore

/// What one connection may take of the gateway.
enum WebLimits {
    /// Bytes in a request's body; the largest that a client has to send is a page of settings.
    static let bodyBytes = 64 * 1024
    /// Bytes in a request's headers together, and in one of them.
    static let headerBytes = 16 * 1024
    /// Headers of a request.
    static let headers = 100
    /// How long a connection may say nothing before its request, or between two.
    static let idle: TimeAmount = .seconds(20)
    /// How long a body may take to arrive.
    static let bodyPatience: Duration = .seconds(10)
    /// Connections at a time.
    static let connections = 4_096

    /// The connections' limits as the server takes them.
    static var http1: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            idleTimeout: idle,
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: headerBytes, maxHeaderListSize: headerBytes, maxHeaderFieldCount: headers)
        )
    }
}

extension Request {
    /// The bytes of the body.
    ///
    /// - Throws: `HTTPError` of status 413 where there are more than ``WebLimits/bodyBytes``, and of 408 where
    ///   they do not come in time.
    func bodyBytes() async throws -> [UInt8] {
        var body = body
        let arriving = body
        defer { body = arriving }
        return try await Deadline.within(WebLimits.bodyPatience) {
            Array(try await arriving.collect(upTo: WebLimits.bodyBytes).readableBytesView)
        } orThrow: {
            HTTPError(.requestTimeout, message: "the body did not arrive in time")
        }
    }
}
