import Foundation
import ProcessSupport
import TestSupport
import Testing

@Suite("Copies of files")
struct FileCopyTests {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = "\(scratch.path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test("a copy has the same bytes, is private, and has the digest that sha256sum prints")
    func copy() throws {
        let path = try write("abc", to: "original")
        let copy = try #require(try FileCopy.make(of: path, at: "\(scratch.path)/copy"))
        #expect(copy.bytes == 3)
        #expect(copy.digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try FileCopy.described("\(scratch.path)/copy") == copy)
        let mode = try FileManager.default.attributesOfItem(atPath: "\(scratch.path)/copy")[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("a copy of several blocks is complete")
    func large() throws {
        let path = try write(String(repeating: "0123456789", count: 300_000), to: "original")
        let copy = try FileCopy.make(of: path, at: "\(scratch.path)/copy")
        #expect(copy?.bytes == 3_000_000)
        #expect(try Data(contentsOf: URL(filePath: "\(scratch.path)/copy")).count == 3_000_000)
        #expect(try FileCopy.described(path) == copy)
    }

    @Test("a missing file or a link is not copied")
    func none() throws {
        #expect(try FileCopy.make(of: "\(scratch.path)/nothing", at: "\(scratch.path)/copy") == nil)
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/copy"))
        let path = try write("abc", to: "original")
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/link", withDestinationPath: path)
        #expect(throws: RuntimeError.self) {
            try FileCopy.make(of: "\(scratch.path)/link", at: "\(scratch.path)/copy")
        }
    }
}
