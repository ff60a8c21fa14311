import Testing

@testable import gateway

@Suite("The files of the page that browsers store")
struct PageShellTests {
    private static let files: [String: [UInt8]] = [
        "index.html": Array("<p>".utf8), "main.js": Array("1".utf8), "worker.js": Array("2".utf8),
    ]

    @Test("have the paths of all files except the worker; the path of the page is /")
    func paths() {
        #expect(PageShell(of: Self.files).paths == ["/", "/page/main.js"])
    }

    @Test("have a new release if any file differs, and otherwise the same", arguments: Self.files.keys)
    func release(name: String) {
        let known = PageShell(of: Self.files).release
        var other = Self.files
        other[name]?.append(0)
        #expect(PageShell(of: other).release != known)
        #expect(PageShell(of: Self.files).release == known)
        #expect(known.count == 16)
    }

    @Test("are in the first line of the worker, as JavaScript")
    func worker() {
        let shell = PageShell(of: Self.files)
        let text = String(decoding: shell.worker(Array("next".utf8)), as: UTF8.self)
        let line = #"const SHELL = {"release":"\#(shell.release)","files":["/","/page/main.js"]};"#
        #expect(text == "\(line)\nnext")
    }
}
