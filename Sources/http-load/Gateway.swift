import FleetTime
import LoadCore
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The gateway under load: how to connect to it, and its requests.
struct Gateway: Sendable {
    /// The time within which a connection must be open.
    private static let timeout = TimeAmount.nanoseconds(HTTPLoadOpening.timeout.wholeNanoseconds)

    /// The URL.
    let url: GatewayURL

    private let loop: any EventLoop
    private let tls: NIOSSLContext?
    private let serverName: String?
    private let requests: [Bool: PodRequest]

    /// The gateway of an opening.
    ///
    /// - Throws: ``HTTPLoadFailure`` if the certificates to trust cannot be used.
    init(_ opening: HTTPLoadOpening, on loop: any EventLoop) throws(HTTPLoadFailure) {
        (url, self.loop) = (opening.url, loop)
        tls = try Self.tls(opening)
        // TLS does not send an address as a server name; the certificate must then have the address.
        serverName = Self.isAddress(url.host) ? nil : url.host
        requests = [
            true: PodRequest(isOn: true, to: opening.url, token: opening.token),
            false: PodRequest(isOn: false, to: opening.url, token: opening.token),
        ]
    }

    private static func tls(_ opening: HTTPLoadOpening) throws(HTTPLoadFailure) -> NIOSSLContext? {
        guard opening.url.isSecure else { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        do {
            if let file = opening.certificates {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            }
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw HTTPLoadFailure(
                .certificateFile,
                "cannot use the certificates in \(opening.certificates ?? "the system"): \(error)")
        }
    }

    private static func isAddress(_ host: String) -> Bool {
        do {
            _ = try SocketAddress(ipAddress: host, port: 0)
            return true
        } catch {
            return false
        }
    }

    /// Opens a connection, which reports to a driver when it is ready.
    func connect(
        as place: HTTPLoadDriver.Place, for driver: HTTPLoadDriver
    ) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .connectTimeout(Self.timeout)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: serverName))
                    }
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(
                        ResponseHandler(driver: driver, place: place, isSecure: tls != nil))
                }
            }
            .connect(host: url.host, port: url.port)
    }

    /// Sends the request for a state.
    func send(_ state: HTTPLoad.PodState, over channel: any Channel) {
        guard let request = requests[state.isOn] else { return }
        channel.write(HTTPClientRequestPart.head(request.head(to: state.device)), promise: nil)
        channel.write(HTTPClientRequestPart.body(.byteBuffer(request.body)), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }
}

/// The request that switches a pod on or off, without its path.
private struct PodRequest: Sendable {
    let body: ByteBuffer
    private let headers: HTTPHeaders

    init(isOn: Bool, to url: GatewayURL, token: String) {
        body = ByteBuffer(string: "{\"acState\":{\"on\":\(isOn)}}")
        headers = [
            "Host": url.authority, "Authorization": "Bearer \(token)", "Accept": "application/json",
            "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)",
        ]
    }

    func head(to device: String) -> HTTPRequestHead {
        HTTPRequestHead(
            version: .http1_1, method: .POST, uri: "/api/v2/pods/\(device)/acStates", headers: headers)
    }
}
