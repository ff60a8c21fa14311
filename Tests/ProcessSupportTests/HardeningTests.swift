import Glibc
import Testing

@testable import ProcessSupport

@Suite("Hardening of a process")
struct HardeningTests {
    @Test("a hardened process writes no core file, cannot be traced, and creates files for its user only")
    func apply() async {
        await #expect(processExitsWith: .success) {
            try #require(Hardening.isDumpable)
            try Hardening.apply(environment: [:])
            #expect(!Hardening.isDumpable)
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
            #expect(limit.rlim_cur == 0)
            #expect(limit.rlim_max == 0)
            #expect(umask(0) == 0o077)
        }
    }

    @Test("a process with SENSIBUS_TRACEABLE=1 can be traced, and writes no core file")
    func traceable() async {
        await #expect(processExitsWith: .success) {
            try Hardening.apply(environment: [Hardening.traceableVariable: "1"])
            #expect(Hardening.isDumpable)
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
            #expect(limit.rlim_max == 0)
        }
    }
}
