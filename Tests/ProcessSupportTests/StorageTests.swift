import FleetProtocol
import Foundation
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

@Suite("The durability of a directory's file system")
struct StorageProbeTests {
    private static func now() -> MonotonicTime { SystemClock().now().monotonic }

    @Test("a sync that returns sooner than any disk, and a file system that is not durable, are named")
    func concerns() {
        func concerns(
            _ name: String, _ kind: StorageProbe.Kind?, _ sync: Duration = .milliseconds(1)
        ) -> [String] { StorageProbe(fileSystem: name, kind: kind, sync: sync).concerns }
        #expect(concerns("ext4", nil).isEmpty)
        #expect(concerns("ext4", nil, .microseconds(5)).isEmpty)
        #expect(
            concerns("ext4", nil, .nanoseconds(400))
                == ["a sync takes 400 ns, less than any disk: it does not wait for the disk"])
        #expect(
            concerns("tmpfs", .memory, .nanoseconds(400)).map { $0.prefix(19) } == ["tmpfs is in memory:"])
        #expect(concerns("overlayfs", .containerLayer).map { $0.contains("container") } == [true])
        #expect(concerns("FUSE", .program).map { $0.contains("program") } == [true])
        #expect(concerns("NFS", .network, .nanoseconds(400)).map { $0.contains("network") } == [true, false])
    }

    @Test("memory is recognized, and the probe leaves no file")
    func memory() throws {
        let directory = "/dev/shm/sensibus-probe-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let probe = try StorageProbe(of: directory, now: Self.now)
        #expect(probe.fileSystem == "tmpfs" && probe.kind == .memory)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }

    @Test("the median of the syncs is taken")
    func median() throws {
        let directory = "/dev/shm/sensibus-probe-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var readings = [0, 9, 10, 11, 20, 27, 30, 35, 40, 47].map { MonotonicTime(nanoseconds: $0 * 1_000) }
        let probe = try StorageProbe(of: directory) { readings.removeFirst() }
        #expect(probe.sync == .microseconds(7))
        #expect(readings.isEmpty)
    }

    @Test("a directory that does not exist is an error")
    func missing() {
        #expect(throws: RuntimeError.self) { try StorageProbe(of: "/dev/shm/none/such", now: Self.now) }
    }
}

@Suite("Retention of results")
struct RetentionTests {
    @Test("the default retention is a day and a million results")
    func usual() {
        #expect(Retention().arguments == ["--retention", "24h", "--retention-results", "1000000"])
    }

    @Test(
        "a retention of a minute or more is parsed",
        arguments: [
            ("1m", Duration.seconds(60)), ("60s", .seconds(60)), ("1.5h", .seconds(5_400)),
            ("10000h", .seconds(36_000_000)),
        ])
    func times(text: String, expected: Duration) throws {
        #expect(try Retention.time(of: text) == expected)
    }

    @Test(
        "a retention out of range, or of another form, is refused with the allowed values",
        arguments: ["0s", "59.999s", "-1h", "10001h", "24", "a day", ""])
    func refusedTimes(text: String) {
        let error = #expect(throws: RuntimeError.self) { try Retention.time(of: text) }
        #expect(error?.description == "'\(text)' is not a retention: write 1m to 10000h, such as 24h")
    }

    @Test("a number of results is parsed, up to half of the capacity", arguments: [1, 4_000_000])
    func results(count: Int) throws {
        #expect(try Retention.results(of: "\(count)") == count)
    }

    @Test(
        "a number of results out of range, or of another form, is refused with the allowed values",
        arguments: ["0", "-1", "4000001", "99999999999999999999", "1,000", "all", ""])
    func refusedResults(text: String) {
        let error = #expect(throws: RuntimeError.self) { try Retention.results(of: text) }
        #expect(error?.description == "'\(text)' is not a retention: write 1 to 4000000")
    }
}
