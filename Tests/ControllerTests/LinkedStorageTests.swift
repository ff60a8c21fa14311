import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Symbolic links in place of stored files")
struct LinkedStorageTests {
    private let directory: TemporaryDirectory
    private var elsewhere: String { "\(directory.path)/elsewhere" }

    init() throws { directory = try TemporaryDirectory() }

    private func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("a journal that is a link is neither created nor read")
    func journal() throws {
        let link = "\(directory.path)/journal"
        try #require(mkdir(elsewhere, 0o700) == 0 && symlink(elsewhere, link) == 0)
        #expect(refusal { try SegmentDirectory(link).create() }.contains("\(link) is a symbolic link"))
        #expect(refusal { _ = try SegmentDirectory(link).segments() }.contains("is a symbolic link"))
    }

    @Test("a store, or its log, that is a link is not opened", arguments: ["", "-wal"])
    func store(suffix: String) throws {
        let path = "\(directory.path)/controller.sqlite"
        try #require(symlink(elsewhere, path + suffix) == 0)
        let problem = refusal { _ = try Store(path: path, durability: .process) }
        #expect(problem.contains("\(path)\(suffix) is a symbolic link"), "\(problem)")
        #expect(access(elsewhere, F_OK) != 0 && access("\(directory.path)/witness", F_OK) != 0)
    }
}
