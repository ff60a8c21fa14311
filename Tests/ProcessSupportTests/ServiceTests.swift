import Glibc
import ProcessSupport
import TestSupport
import Testing

@Suite("Recording that a process has served")
struct ServiceTests {
    @Test("a service record is for one process, not its successor, nor a process of another name")
    func service() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        #expect(!directory.hasServed("controller", as: getpid()))
        for _ in 0..<2 { try directory.recordService(of: "controller") }
        #expect(directory.hasServed("controller", as: getpid()))
        #expect(!directory.hasServed("controller", as: getpid() + 1))
        #expect(!directory.hasServed("gateway", as: getpid()))
    }
}
