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
        try FileManager.default.createSymbolicLink(atPath: "\(scratch.path)/link", withDestinationPath: path)
        #expect(throws: RuntimeError.self) {
            try FileCopy.make(of: "\(scratch.path)/link", at: "\(scratch.path)/copy")
        }
    }
}

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

@Suite("FileLock")
struct FileLockTests {
    @Test("a second lock is refused with the first holder, and closing the first one allows it")
    func exclusive() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/controller.lock"
        let first = try FileLock(path: path)
        #expect(throws: RuntimeError.locked(path: path, holder: getpid())) { try FileLock(path: path) }
        first.close()
        first.close()
        let second = try FileLock(path: path)
        #expect(throws: RuntimeError.locked(path: path, holder: getpid())) { try FileLock(path: path) }
        second.close()
    }

    @Test("a lock is released with its object")
    func released() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/node.lock"
        do {
            let lock = try FileLock(path: path)
            #expect(lock.path == path)
        }
        _ = try FileLock(path: path)
    }

    /// Calls a closure while a copy of the descriptor of an open file exists, as in a process that starts.
    private func copying(_ path: String, _ body: () throws -> Void) throws {
        let (files, folder) = (FileManager.default, "/proc/self/fd")
        let descriptor = try files.contentsOfDirectory(atPath: folder).first {
            (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
        }
        let copy = fcntl(try #require(descriptor.flatMap { Int32($0) }), F_DUPFD_CLOEXEC, 0)
        defer { close(copy) }
        try body()
    }

    @Test("a closed lock is free, also while a process that is being started has a copy of its descriptor")
    func inherited() throws {
        let temporary = try TemporaryDirectory()
        let (path, segment) = ("\(temporary.path)/node.lock", "\(temporary.path)/segment")
        let (lock, file) = (try FileLock(path: path), try GrowingFile(replacing: segment))
        #expect(try file.lock())
        try copying(path) {
            lock.close()
            try FileLock(path: path).close()
        }
        try copying(segment) {
            file.close()
            let next = try GrowingFile(opening: segment)
            #expect(try next.lock())
        }
    }

    @Test("a lock error names the holder and what to do")
    func descriptions() {
        #expect(
            RuntimeError.locked(path: "/x.lock", holder: 42).description
                == "/x.lock is held by process 42: end that process first, or use another run directory")
        #expect(
            RuntimeError.locked(path: "/x.lock", holder: nil).description
                == "/x.lock is held by another process: end it first, or use another run directory")
    }

    @Test("a lock file that is a symbolic link is not followed, and the link's target is unchanged")
    func symbolicLink() throws {
        let temporary = try TemporaryDirectory()
        let victim = "\(temporary.path)/victim"
        try Data("precious".utf8).write(to: URL(filePath: victim))
        let path = "\(temporary.path)/controller.lock"
        try #require(symlink(victim, path) == 0)
        #expect(throws: RuntimeError.symbolicLink(path: path)) { try FileLock(path: path) }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    }

    @Test("a lock file that is a directory or a named pipe is refused at once")
    func notRegular() throws {
        let temporary = try TemporaryDirectory()
        let pipe = "\(temporary.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: RuntimeError.notRegularFile(path: pipe)) { try FileLock(path: pipe) }
    }

    @Test("a lock in a missing directory is a system error")
    func noDirectory() {
        let path = "/nonexistent/x.lock"
        #expect(throws: RuntimeError.system(operation: "open", path: path, errno: ENOENT)) {
            try FileLock(path: path)
        }
    }
}
