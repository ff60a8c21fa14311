import HTTPTypes
import Hummingbird
import NIOCore
import ProcessSupport
import UserText

/// The page's files, which are embedded in the executable.
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
        let embedded = Self.embedded
        let shell = PageShell(of: embedded)
        files = Dictionary(
            uniqueKeysWithValues: embedded.map { name, bytes in
                (name, File(name == PageShell.worker ? shell.worker(bytes) : bytes, Self.type(of: name)))
            })
        self.shell = shell
    }

    func add(to router: Router<GatewayContext>) {
        router.get("/") { request, _ in try answer("index.html", request) }
        router.get("page/:file") { request, context in
            try answer(context.parameters.get("file") ?? "", request)
        }
        // Both routes name the first part alike, because the router distinguishes siblings by their names.
        router.get("page/:file/:nested") { request, context in
            let path = ["file", "nested"].compactMap { context.parameters.get($0) }
            return try answer(path.joined(separator: "/"), request)
        }
    }

    private func answer(_ name: String, _ request: Request) throws -> Response {
        guard let file = files[name] else {
            throw HTTPError(.notFound, message: "This page doesn’t exist.")
        }
        // Browsers cache the file, and revalidate it.
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

extension PageFiles {
    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/manifest+json"
        default: preconditionFailure("\(name): unknown file type")
        }
    }

    /// The files of the folder `Page` by their paths in it.
    static var embedded: [String: [UInt8]] { files(calling: Program.fleet.command) }

    /// The files, with the name by which users call the command.
    static func files(calling command: String) -> [String: [UInt8]] {
        let folder = "Page/"
        return Dictionary(
            uniqueKeysWithValues: EmbeddedText.files.compactMap { path, text in
                guard path.hasPrefix(folder) else { return nil }
                let isOfCommand = path == "\(folder)common/command.js"
                return (
                    String(path.dropFirst(folder.count)),
                    isOfCommand
                        ? Array("\(text)".replacing("\"fleet\"", with: "\"\(command)\"").utf8)
                        : text.withUTF8Buffer(Array.init)
                )
            })
    }
}

/// The files that browsers store so that the page starts without a connection.
struct PageShell: Sendable {
    /// The name of the service worker's file.
    static let worker = "worker.js"

    /// A fingerprint of all files, sixteen digits.
    let release: String
    /// The paths of the files in order, without the worker's.
    let paths: [String]

    /// Describes files by their names; the path of `index.html` is `/`, and others begin with `/page/`.
    init(of files: [String: [UInt8]]) {
        let stored = files.sorted { $0.key < $1.key }
        release = Fingerprint.of(stored.flatMap { Array("\($0.key) \(Fingerprint.of($0.value))\n".utf8) })
        paths = stored.map(\.key).filter { $0 != Self.worker }
            .map { $0 == "index.html" ? "/" : "/page/\($0)" }
    }

    /// The service worker of this release: a line with the release and its files, then the worker's text. A
    /// new release changes this text, so browsers detect the release when they compare the text.
    func worker(_ text: [UInt8]) -> [UInt8] {
        let shell: JSONObject = ["release": release, "files": paths]
        return Array("const SHELL = \(shell.line);\n".utf8) + text
    }
}
