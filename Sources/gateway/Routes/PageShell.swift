import Wording

/// What browsers store of the page, so that it starts without a connection.
struct PageShell: Sendable {
    /// The name of the service worker's file.
    static let worker = "worker.js"

    /// A fingerprint of all files, sixteen digits.
    let release: String
    /// The paths of the files in order, without the worker's.
    let paths: [String]

    /// Describes files by their names.
    ///
    /// Their paths begin with `/page/`; the path of `index.html` is `/`.
    init(of files: [String: [UInt8]]) {
        let stored = files.sorted { $0.key < $1.key }
        release = Fingerprint.of(
            stored.flatMap { Array("\($0.key) \(Fingerprint.of($0.value))\n".utf8) })
        paths = stored.map(\.key).filter { $0 != Self.worker }
            .map { $0 == "index.html" ? "/" : "/page/\($0)" }
    }

    /// The service worker of this release: a line with the release and its files, then the worker's text.
    ///
    /// A new release changes this text, so browsers detect the release when they compare the text.
    func worker(_ text: [UInt8]) -> [UInt8] {
        let shell: JSONValue = [
            "release": .string(release), "files": .array(paths.map { .string($0) }),
        ]
        return Array("const SHELL = \(shell.line);\n".utf8) + text
    }
}
