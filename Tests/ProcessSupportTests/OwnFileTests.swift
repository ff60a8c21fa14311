import Foundation
import Glibc
import TestSupport
import Testing

@testable import ProcessSupport

@Suite("Files and directories below a run directory")
struct OwnFileTests {
    private let directory: TemporaryDirectory
    private var file: String { "\(directory.path)/file" }
    private var folder: String { "\(directory.path)/folder" }

    init() throws {
        directory = try TemporaryDirectory()
        try Data().write(to: URL(filePath: file))
        try #require(mkdir(folder, 0o755) == 0)
    }

    @Test("its own files and directories are accepted, and missing ones")
    func own() throws {
        try OwnFile.check(file)
        try OwnFile.check(folder, isDirectory: true)
        for isDirectory in [false, true] {
            try OwnFile.check("\(directory.path)/nothing", isDirectory: isDirectory)
        }
    }

    @Test("a symbolic link is refused, wherever it leads", arguments: ["file", "folder", "nothing"])
    func link(target: String) throws {
        let link = "\(directory.path)/link"
        try #require(symlink("\(directory.path)/\(target)", link) == 0)
        for isDirectory in [false, true] {
            #expect(throws: RuntimeError.symbolicLink(path: link)) {
                try OwnFile.check(link, isDirectory: isDirectory)
            }
        }
    }

    @Test("no error advises to remove what a user has named, such as a device")
    func advice() {
        let error = #expect(throws: RuntimeError.device(path: "/dev/full")) {
            try OwnFile.openIfPresent("/dev/full", O_WRONLY | O_APPEND | O_CREAT, isGiven: true)
        }
        #expect(error?.description == "/dev/full is a device: use the path of a regular file")
        for error in [
            RuntimeError.device(path: "a"), .notRegularFile(path: "a"), .notDirectory(path: "a"),
            .symbolicLink(path: "a"), .foreignFile(path: "a", owner: 0),
        ] {
            #expect(!error.description.contains("remove"), "\(error)")
        }
    }

    @Test("an entry of another kind is refused")
    func kind() throws {
        #expect(throws: RuntimeError.notRegularFile(path: folder)) { try OwnFile.check(folder) }
        #expect(throws: RuntimeError.notDirectory(path: file)) {
            try OwnFile.check(file, isDirectory: true)
        }
    }

    @Test("a directory that others can write to is refused at any path", arguments: [true, false])
    func unwritable(isRelative: Bool) throws {
        let up = try Environment.workingDirectory.split(separator: "/").map { _ in ".." }
        let path = isRelative ? up.joined(separator: "/") + folder : folder
        try OwnFile.checkUnwritable(path)
        try #require(chmod(folder, 0o757) == 0)
        defer { chmod(folder, 0o700) }
        #expect(
            throws: RuntimeError.writableParent(of: "\(folder)/file", directory: folder, mode: 0o757)
        ) { try OwnFile.checkUnwritable(path) }
    }

    @Test("an entry of another user is refused", .enabled(if: geteuid() == 0))
    func foreign() throws {
        for path in [file, folder] { try #require(chown(path, 65_534, 65_534) == 0) }
        #expect(throws: RuntimeError.foreignFile(path: file, owner: 65_534)) { try OwnFile.check(file) }
        #expect(throws: RuntimeError.foreignDirectory(path: folder, owner: 65_534)) {
            try OwnFile.check(folder, isDirectory: true)
        }
        #expect(throws: RuntimeError.self) { try OwnFile.checkUnwritable(folder) }
    }
}
