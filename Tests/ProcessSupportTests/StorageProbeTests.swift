import FleetProtocol
import Foundation
import ProcessSupport
import Testing

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
