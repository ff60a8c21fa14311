import Foundation
import TestSupport
import Testing

@testable import gateway

@Suite("Text files in modules")
struct EmbeddedTextTests {
    private static let clone = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The bytes of each file below a folder of the clone, by its path in the folder.
    private static func files(in folder: String, of module: String) throws -> [String: [UInt8]] {
        let root = clone.appending(path: module)
        let paths = try FileManager.default.subpathsOfDirectory(
            atPath: root.appending(path: folder).path(percentEncoded: false))
        let files = paths.filter { $0.contains(".") }.map { "\(folder)/\($0)" }
        return Dictionary(
            uniqueKeysWithValues: try files.map { path in
                (path, Array(try Data(contentsOf: root.appending(path: path))))
            })
    }

    @Test("the gateway has the files of the page and the documents of its APIs, byte by byte")
    func page() throws {
        let page = try Self.files(in: "Page", of: "Sources/gateway")
        let documents = try ["TestServer", "SensiboAPI"].map { folder in
            try Self.files(in: folder, of: "Sources/gateway").filter { !$0.key.hasSuffix(".swift") }
        }
        let expected = documents.reduce(page) { $0.merging($1) { first, _ in first } }
        try #require(page.count > 70 && documents.map(\.count) == [1, 1])
        #expect(gateway.EmbeddedText.files.mapValues { $0.withUTF8Buffer(Array.init) } == expected)
    }

    @Test("quotation marks, backslashes, carriage returns and missing newlines are embedded as they are")
    func delimiters() throws {
        let expected = try Self.files(in: "EmbeddedFiles", of: "Tests/GatewayTests")
        try #require(expected.count == 7)
        #expect(EmbeddedText.files.mapValues { $0.withUTF8Buffer(Array.init) } == expected)
    }

    @Test(
        "a file that is not text is refused, with its path and the reason",
        arguments: [
            (Data([0x61, 0xff]), "not UTF-8: iconv: illegal input sequence at position 1"),
            (Data("a\u{0}b".utf8), "the compiler rejects its control characters"),
        ])
    func refusal(content: Data, reason: String) throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/file.txt"
        try content.write(to: URL(filePath: file))
        let script = Process()
        let errors = Pipe()
        script.executableURL = Self.clone.appending(path: "Plugins/EmbedText/embed-text")
        script.arguments = [directory.path + "/Output.swift", directory.path, file]
        script.standardError = errors
        try script.run()
        let text = try #require(try errors.fileHandleForReading.readToEnd())
        script.waitUntilExit()
        #expect(script.terminationStatus == 1)
        #expect(String(decoding: text, as: UTF8.self) == "\(file): cannot be embedded: \(reason)\n")
    }
}

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

    @Test("an installed page names the command as users call it")
    func command() throws {
        let file = try #require(PageFiles.files(calling: "sensibus")["common/command.js"])
        #expect(String(decoding: file, as: UTF8.self).contains("FLEET = \"sensibus\";"))
    }

    @Test("the worker's first line has the page's files as JavaScript")
    func worker() {
        let shell = PageShell(of: Self.files)
        let text = String(decoding: shell.worker(Array("next".utf8)), as: UTF8.self)
        let line = #"const SHELL = {"release":"\#(shell.release)","files":["/","/page/main.js"]};"#
        #expect(text == "\(line)\nnext")
    }
}
