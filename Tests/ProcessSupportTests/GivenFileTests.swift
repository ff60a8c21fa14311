import Foundation
import Glibc
import Testing

@testable import ProcessSupport

@Suite("A file with a secret that the user has named")
struct GivenFileTests {
    private let directory = "/tmp/sensibus-given-\(UUID().uuidString)"
    private var file: String { "\(directory)/key" }

    private func content(of path: String, isGiven: Bool) throws(RuntimeError) -> String? {
        try PrivateFile(path: path, isGiven: isGiven).read().map { String(decoding: $0, as: UTF8.self) }
    }

    private func with(mode: mode_t, _ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try Data("secret".utf8).write(to: URL(filePath: file))
        try #require(chown(file, geteuid(), getegid()) == 0 && chmod(file, mode) == 0)
        try body()
    }

    @Test("its first line is read without a byte order mark and without the line end of Windows")
    func firstLine() throws {
        try with(mode: 0o600) {
            try Data("\u{feff}open sesame\r\nmore\r\n".utf8).write(to: URL(filePath: file))
            #expect(try PrivateFile(path: file, isGiven: true).firstLine() == "open sesame")
        }
    }

    @Test("a link may lead to it, and the process's own group may read it")
    func mounted() throws {
        try with(mode: 0o440) {
            let link = "\(directory)/link"
            try #require(symlink(file, link) == 0)
            #expect(try content(of: link, isGiven: true) == "secret")
            #expect(try content(of: file, isGiven: true) == "secret")
            #expect(throws: RuntimeError.symbolicLink(path: link)) { try content(of: link, isGiven: false) }
            #expect(throws: RuntimeError.fileOpenToOthers(path: file, mode: 0o440)) {
                try content(of: file, isGiven: false)
            }
        }
    }

    @Test(
        "other users may not read it, and only its owner may write it",
        arguments: [0o444, 0o644, 0o660] as [mode_t])
    func open(mode: mode_t) throws {
        try with(mode: mode) {
            #expect(throws: RuntimeError.fileOpenToOthers(path: file, mode: mode)) {
                try content(of: file, isGiven: true)
            }
        }
    }

    @Test(
        "a file of another user's that is not root's is refused",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func foreign() throws {
        try with(mode: 0o600) {
            try #require(chown(file, 12_345, getegid()) == 0)
            #expect(throws: RuntimeError.foreignFile(path: file, owner: 12_345)) {
                try content(of: file, isGiven: true)
            }
        }
    }
}
