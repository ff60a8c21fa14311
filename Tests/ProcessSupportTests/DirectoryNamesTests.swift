import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

@Suite("Names of directories")
struct DirectoryNamesTests {
    private let scratch: TemporaryDirectory
    private let one: String
    private let other: String

    /// Two directories with a file each, named like the directory.
    init() throws {
        scratch = try TemporaryDirectory()
        one = try scratch.makeDirectory("one")
        other = try scratch.makeDirectory("other")
        try Data().write(to: URL(filePath: "\(one)/one"))
        try Data().write(to: URL(filePath: "\(other)/other"))
    }

    private func files(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory)
    }

    @Test("two directories are exchanged at once")
    func exchanged() throws {
        #expect(try DirectoryNames.exchange(one, with: other))
        #expect(try files(in: one) == ["other"])
        #expect(try files(in: other) == ["one"])
    }

    @Test("an exchange with a missing directory is an error and changes nothing")
    func missing() throws {
        let error = #expect(throws: RuntimeError.self) {
            try DirectoryNames.exchange("\(scratch.path)/none", with: other)
        }
        guard case .system(_, "\(scratch.path)/none", errno: ENOENT) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try files(in: other) == ["other"])
    }

    @Test("a directory is not renamed to one that has files")
    func inUse() throws {
        #expect(throws: RuntimeError.self) { try DirectoryNames.rename(one, to: other) }
        #expect(try files(in: other) == ["other"])
    }
}
