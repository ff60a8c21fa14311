import Testing

@testable import gateway

@Suite("Page files that browsers store")
struct PageShellTests {
    private static let files: [String: [UInt8]] = [
        "index.html": Array("<p>".utf8), "main.js": Array("1".utf8), "worker.js": Array("2".utf8),
    ]

    @Test("the page's paths are those of all files except the worker, and the page itself is /")
    func paths() {
        #expect(PageShell(of: Self.files).paths == ["/", "/page/main.js"])
    }

    @Test(
        "the page has a new release if any file differs, and otherwise the same", arguments: Self.files.keys)
    func release(name: String) {
        let known = PageShell(of: Self.files).release
        var other = Self.files
        other[name]?.append(0)
        #expect(PageShell(of: other).release != known)
        #expect(PageShell(of: Self.files).release == known)
        #expect(known.count == 16)
    }

    @Test("the worker's first line has the page's files as JavaScript")
    func worker() {
        let shell = PageShell(of: Self.files)
        let text = String(decoding: shell.worker(Array("next".utf8)), as: UTF8.self)
        let line = #"const SHELL = {"release":"\#(shell.release)","files":["/","/page/main.js"]};"#
        #expect(text == "\(line)\nnext")
    }
}
