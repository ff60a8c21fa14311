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
    /// How long a request's headers may take to arrive, from the opening of the connection or their first
    /// byte on.
    static let headPatience: TimeAmount = .seconds(5)
    /// How long a request may take to arrive, from its headers' end on.
    static let requestPatience: TimeAmount = .seconds(10)
    /// How long a connection may read nothing of what waits for it; at most twice that, as it is looked at
    /// now and then.
    static let readPatience: TimeAmount = .seconds(15)
    /// Connections at a time, where the process may have that many descriptors.
    private static let connectionsAtMost = 4_096
    /// Descriptors for everything else: sockets to the fleet, files, and connections that are ending.
    private static let otherDescriptors = 128
    /// Connections that may be ending while others take their places.
    static let endingConnections = 32

    /// Connections at a time in a process with that limit of descriptors.
    static func connections(descriptors: Int) -> Int {
        max(16, min(connectionsAtMost, descriptors - otherDescriptors))
    }

    /// How many of them one address may have: half, so that no address keeps out all others.
    static func perAddress(of connections: Int) -> Int { connections / 2 }

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
    /// The bytes of the body, of which ``WholeRequests`` has let no more through than it may have.
    func bodyBytes() async throws -> [UInt8] {
        Array(try await body.collect(upTo: WebLimits.bodyBytes).readableBytesView)
    }
}
