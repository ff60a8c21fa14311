import HTTPTypes
import Hummingbird
import NIOCore
import Wording

/// The page's files, which are part of the executable.
struct PageFiles: Sendable {
    private struct File: Sendable {
        let bytes: ByteBuffer
        let type: String
        let tag: String

        init(_ bytes: [UInt8], _ type: String) {
            self.bytes = ByteBuffer(bytes: bytes)
            self.type = type
            tag = "\"\(Fingerprint.of(bytes))\""
        }
    }

    private let files: [String: File]
    private let shell: PageShell

    init() {
        let shell = PageShell(of: Self.embedded.mapValues { $0.bytes })
        files = Dictionary(
            uniqueKeysWithValues: Self.embedded.map { name, file in
                (name, File(name == PageShell.worker ? shell.worker(file.bytes) : file.bytes, file.type))
            })
        self.shell = shell
    }

    func add(to router: Router<GatewayContext>) {
        router.get("/") { request, _ in answer("index.html", request) }
        router.get("page/:file") { request, context in
            answer(context.parameters.get("file") ?? "", request)
        }
    }

    private func answer(_ name: String, _ request: Request) -> Response {
        guard let file = files[name] else { return Answer.page("There is no such page.", status: .notFound) }
        // Browsers keep it, and ask whether it is still so.
        var headers: HTTPFields = [
            .contentType: file.type, .eTag: file.tag, .cacheControl: "no-cache",
            .sensibusRelease: shell.release,
        ]
        // The worker's path is below `/page/`, but its scope must include `/`, the page itself.
        if name == PageShell.worker { headers[.serviceWorkerAllowed] = "/" }
        if request.headers[.ifNoneMatch] == file.tag {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.bytes))
    }
}
