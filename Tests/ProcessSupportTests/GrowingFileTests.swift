import Glibc
import ProcessSupport
import TestSupport
import Testing

@Suite("GrowingFile")
struct GrowingFileTests {
    /// The contents of a file; nil if there is none.
    private static func content(_ path: String) throws -> [UInt8]? {
        var content: [UInt8] = []
        return try GrowingFile.read(path) { content += $0 } ? content : nil
    }

    @Test("a growing file has its batches in order, and only its owner can read it")
    func grows() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/file"
        #expect(try Self.content(path) == nil)
        let file = try GrowingFile(replacing: path)
        #expect(try Self.content(path) == [])
        #expect(try file.append([1, 2, 3]))
        #expect(try file.append([4]))
        #expect(try file.append([]))
        #expect(file.count == 4)
        #expect(try Self.content(path) == [1, 2, 3, 4])
        #expect(try TemporaryDirectory.permissions(of: path) == 0o600)
        var block = [UInt8](repeating: 0, count: 3)
        #expect(try file.read(at: 2, into: &block) == 2)
        #expect(block == [3, 4, 0])
    }

    @Test("a growing file longer than a block is read in pieces")
    func long() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/file"
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) }
        #expect(try GrowingFile(replacing: path).append(bytes))
        #expect(try Self.content(path) == bytes)
    }

    @Test("a growing file replaces another at once, and continues to grow")
    func moves() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/file"
        let old = try GrowingFile(replacing: path)
        #expect(try old.append([1]))
        let new = try GrowingFile(replacing: path + ".new")
        #expect(try new.append([2]))
        try new.sync()
        try new.move(to: path, isSynced: true)
        #expect(new.path == path)
        #expect(try new.append([3]))
        #expect(try old.append([4]))
        old.closeElsewhere()
        #expect(try Self.content(path) == [2, 3])
        #expect(try Self.content(path + ".new") == nil)
        try new.remove()
        #expect(try Self.content(path) == nil)
    }

    @Test("a growing file is synced by another thread while it grows")
    func syncs() async throws {
        let temporary = try TemporaryDirectory()
        let file = try GrowingFile(replacing: "\(temporary.path)/file")
        #expect(try file.append([1]))
        let sync = try file.makeSync()
        #expect(try !sync.isDone())
        await withCheckedContinuation { continuation in
            sync.begin { continuation.resume() }
        }
        #expect(try sync.isDone())
        #expect(try file.append([2]))
    }

    @Test("a growing file that is opened again ends where it is told, and the next batch removes the rest")
    func reopens() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/file"
        #expect(try GrowingFile(replacing: path).append([1, 2, 3, 4, 5]))
        let file = try GrowingFile(opening: path)
        #expect(file.count == 5)
        file.end(at: 2)
        #expect(try Self.content(path) == [1, 2, 3, 4, 5])
        #expect(try file.append([6]))
        try file.overwrite([7], at: 0)
        #expect(try Self.content(path) == [7, 2, 6])
        #expect(file.count == 3)
    }

    @Test("the lock of a growing file is held by one open file, until it is closed")
    func locks() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/file"
        let first = try GrowingFile(replacing: path)
        #expect(try first.lock())
        let second = try GrowingFile(opening: path)
        #expect(try !second.lock())
        first.close()
        #expect(try second.lock())
    }

    @Test("a growing file in a missing directory is a system error")
    func noDirectory() {
        let path = "/nonexistent/file"
        #expect(throws: RuntimeError.system(operation: "create", path: path, errno: ENOENT)) {
            try GrowingFile(replacing: path)
        }
    }
}
