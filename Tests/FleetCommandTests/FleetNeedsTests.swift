import Testing

@testable import fleet

@Suite("FleetNeeds")
struct FleetNeedsTests {
    @Test("a fleet starts when the limits are just sufficient, or when there are no limits")
    func enough() throws {
        let needs = FleetNeeds(devices: 1_000_000, nodes: 4)
        try needs.check(against: MachineLimits(openFiles: needs.openFiles, memoryBytes: needs.memoryBytes))
        try needs.check(against: MachineLimits(openFiles: nil, memoryBytes: nil))
    }

    @Test("a fleet with too few open files is refused before the start, with the limit and advice")
    func files() {
        let expected = CommandFailure(
            .refused, "a process may have 591 files open, and this fleet needs 592",
            advice: "raise the limit: ulimit -n 592; or use fewer --nodes")
        #expect(throws: expected) {
            try FleetNeeds(devices: 64, nodes: 64).check(against: MachineLimits(openFiles: 591))
        }
    }

    @Test("a fleet with too little memory is refused before the start, with the free memory and advice")
    func memory() {
        let expected = CommandFailure(
            .refused, "512 MiB of memory are free, and this fleet needs 868 MiB",
            advice: "use fewer --devices, or stop programs that use much memory")
        #expect(throws: expected) {
            try FleetNeeds(devices: 1_000_000, nodes: 1).check(against: MachineLimits(memoryBytes: 512 << 20))
        }
    }

    @Test("a container's free memory excludes what is used, except for file pages")
    func container() {
        func free(_ maximum: String, _ current: String) -> UInt64? {
            MachineLimits.availableMemory(
                maximum: maximum, current: current,
                statistics: "anon 5000\nfile 900\ninactive_file 300\nactive_file 200\n")
        }
        #expect(free("10000\n", "6000\n") == 4_500)
        #expect(free("10000\n", "11000\n") == 0)
        #expect(free("10000\n", "") == 10_000)
        #expect(free("max\n", "6000\n") == nil)
        #expect(free("", "") == nil)
    }
}
