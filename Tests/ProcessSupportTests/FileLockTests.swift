import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

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
