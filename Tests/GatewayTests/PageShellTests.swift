import Testing

@testable import gateway

@Suite("What browsers store of the page")
struct PageShellTests {
    private static let files: [String: [UInt8]] = [
        "index.html": Array("<p>".utf8), "main.js": Array("1".utf8), "worker.js": Array("2".utf8),
    ]

    @Test("names each file by its path, the page as /, and not the worker")
    func paths() {
        #expect(PageShell(of: Self.files).paths == ["/", "/page/main.js"])
    }

    @Test("has another release when any file is another, and the same otherwise", arguments: Self.files.keys)
    func release(name: String) {
        let known = PageShell(of: Self.files).release
        var other = Self.files
        other[name]?.append(0)
        #expect(PageShell(of: other).release != known)
        #expect(PageShell(of: Self.files).release == known)
        #expect(known.count == 16)
    }

    @Test("is named in the first line of the worker, which is JavaScript")
    func worker() {
        let shell = PageShell(of: Self.files)
        let text = String(decoding: shell.worker(Array("next".utf8)), as: UTF8.self)
        let line = #"const SHELL = {"release":"\#(shell.release)","files":["/","/page/main.js"]};"#
        #expect(text == "\(line)\nnext")
    }
}
