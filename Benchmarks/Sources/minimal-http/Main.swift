import Hummingbird
import NIOCore

/// A server of two routes: `GET /bytes/COUNT` answers with stored JSON of that size, and `POST /bytes` with
/// that of a toggle. What another program takes longer for the same is its own.
@main
struct MinimalServer {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard arguments.count == 1 else { fatalError("usage: minimal-http PORT") }
        let router = Router()
        router.get("bytes/:count") { _, context in
            stored(try context.parameters.require("count", as: Int.self))
        }
        router.post("bytes/:count") { request, context in
            _ = try await request.body.collect(upTo: 8_192)
            return stored(try context.parameters.require("count", as: Int.self))
        }
        let address = BindAddress.hostname("127.0.0.1", port: arguments[0])
        try await Application(router: router, configuration: ApplicationConfiguration(address: address)).run()
    }

    private static let bytes = ByteBuffer(repeating: UInt8(ascii: " "), count: 1 << 20)

    private static func stored(_ count: Int) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: bytes.getSlice(at: 0, length: count) ?? ByteBuffer()))
    }
}
