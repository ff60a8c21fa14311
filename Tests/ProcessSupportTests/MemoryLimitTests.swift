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
        try MemoryLimit.standard.check()
        let least = try MemoryLimit.named("64M")
        #expect(throws: RuntimeError.self) { try least.check() }
    }
}
