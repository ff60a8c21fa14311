import Bus
import Testing

@testable import ProcessSupport

@Suite("MemoryLimit")
struct MemoryLimitTests {
    @Test(
        "a memory limit is written in MiB or GiB",
        arguments: [("64M", 64), ("512m", 512), ("2G", 2_048), ("1024G", 1 << 20), ("1048576M", 1 << 20)])
    func spelled(text: String, mebibytes: Int) throws {
        let limit = try MemoryLimit.named(text)
        #expect(limit.mebibytes == mebibytes)
        #expect(try MemoryLimit.named(limit.argument) == limit)
    }

    @Test(
        "a memory limit of another form, or out of range, is refused",
        arguments: ["", "M", "512", "63M", "1025G", "-1G", "1.5G", "2T", "18014398509481985G"])
    func misspelled(text: String) {
        #expect(throws: RuntimeError.invalidMemoryLimit(text: text)) { try MemoryLimit.named(text) }
    }

    @Test("a memory limit counts the process's private memory")
    func counted() throws {
        let before = try MemoryLimit.mebibytesInUse()
        let block = [UInt8](repeating: 7, count: 256 << 20)
        let with = try MemoryLimit.mebibytesInUse()
        #expect(block.count == 256 << 20)
        // Other tests of this process may free memory during this: checking a password takes 64 MiB.
        #expect(before > 0 && with - before > 64)
        #expect(try MemoryLimit.standard.check() > 0)
        let least = try MemoryLimit.named("64M")
        #expect(throws: RuntimeError.self) { try least.check() }
    }

    @Test("a process that exceeds its memory limit while its loop runs is told once", .timeLimit(.minutes(1)))
    func watched() async {
        await #expect(processExitsWith: .success) {
            let context = try Context()
            let loop = try Loop(name: "watched", context: context)
            let limit = try MemoryLimit.named("256M")
            var failures: [RuntimeError] = []
            let watch = MemoryWatch(limit, on: loop) { failure in
                failures.append(failure)
                loop.stop()
            }
            try watch.begin()
            try watch.end()
            let block = [UInt8](repeating: 7, count: 300 << 20)
            loop.schedule(after: .milliseconds(200)) {}
            loop.run()
            #expect(block.count == 300 << 20)
            #expect(failures.count == 1)
            let failure = try #require(failures.first)
            #expect(throws: failure) { try watch.end() }
        }
    }
}
