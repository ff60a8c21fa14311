import FleetProtocol
import LoadCore
import NIOCore
import NIOHTTP1
import NIOPosix
import UserText

/// The gateway under load: how to connect to it, and its requests.
struct Gateway: Sendable {
    /// The time within which a connection must be open.
    private static let timeout = TimeAmount.nanoseconds(HTTPLoadOpening.timeout.wholeNanoseconds)

    let url: GatewayURL

    private let loop: any EventLoop
    private let now: @Sendable () -> Moment
    private let tls: ClientTLS?
    private let settings: (on: PodRequest, off: PodRequest)
    private let reading: PodRequest

    init(
        _ opening: HTTPLoadOpening, on loop: any EventLoop, clock: @escaping @Sendable () -> Moment
    ) throws(HTTPLoadFailure) {
        (url, self.loop, now) = (opening.url, loop, clock)
        tls = opening.url.isSecure ? try ClientTLS(opening) : nil
        func request(_ method: HTTPMethod, _ resource: String, body: String = "") -> PodRequest {
            PodRequest(method, resource, body: body, to: opening.url, token: opening.token)
        }
        settings = (
            on: request(.POST, "/acStates", body: #"{"acState":{"on":true}}"#),
            off: request(.POST, "/acStates", body: #"{"acState":{"on":false}}"#)
        )
        reading = request(.GET, "?fields=*")
    }

    /// Opens a connection, which reports to a driver when it is ready.
    func connect(as place: HTTPLoadDriver.Place, for driver: HTTPLoadDriver) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .connectTimeout(Self.timeout)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let arrival = ArrivalHandler(now: now)
                    try pipeline.addHandler(arrival)
                    try tls?.secure(channel)
                    try pipeline.addHandlers(
                        PreparedRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()),
                        GatewayConnection(
                            driver: driver, place: place, arrival: arrival, isSecure: tls != nil))
                }
            }
            .connect(host: url.host.name, port: Int(url.port))
    }

    func prepared(_ request: HTTPLoad.Request) -> PreparedRequest {
        switch request {
        case .set(let pod): (pod.isOn ? settings.on : settings.off).prepared(for: pod.device)
        case .read(let device): reading.prepared(for: device)
        }
    }
}

/// A request to any pod, as the texts before and after the ID of the pod. `fleet` writes the token in
/// hexadecimal digits, and the URL is parsed: neither contains the end of a line.
private struct PodRequest: Sendable {
    private let method: HTTPMethod
    private let beginning: String
    private let rest: String

    init(_ method: HTTPMethod, _ resource: String, body: String = "", to url: GatewayURL, token: String) {
        var headers = [
            "Host: \(url.authority)", "Authorization: Bearer \(token)", "Accept: application/json",
        ]
        if !body.isEmpty {
            headers += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"]
        }
        self.method = method
        beginning = "\(method.rawValue) /api/v2/pods/"
        rest = "\(resource) HTTP/1.1\r\n\(headers.joined(separator: "\r\n"))\r\n\r\n\(body)"
    }

    func prepared(for device: String) -> PreparedRequest {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(beginning.utf8.count + device.utf8.count + rest.utf8.count)
        bytes.writeString(beginning)
        bytes.writeString(device)
        bytes.writeString(rest)
        return PreparedRequest(method: method, bytes: bytes)
    }
}
