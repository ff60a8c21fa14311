import Glibc
import ProcessSupport
import Testing

/// The test changes the limit of its process, so it runs in its own process.
@Suite("The limit on open files")
struct DescriptorLimitTests {
    @Test("the limit on open files is raised to the hard limit, and more is refused")
    func raised() async {
        await #expect(processExitsWith: .success) {
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit(rlim_cur: 100, rlim_max: 300)
            #expect(setrlimit(kind, &limit) == 0)
            let raised = try DescriptorLimit.raise(needing: 300)
            #expect(raised == 300)
            #expect(getrlimit(kind, &limit) == 0 && limit.rlim_cur == 300)
            let error = #expect(throws: RuntimeError.self) { _ = try DescriptorLimit.raise(needing: 301) }
            #expect(error == .tooFewDescriptors(limit: 300, needed: 301))
            let text = "the limit on open files is 300, and 301 are needed. Raise the hard limit"
            #expect(error?.description.contains(text) == true)
        }
    }
}
