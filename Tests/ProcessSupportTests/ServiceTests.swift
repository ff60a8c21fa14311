import Glibc
import ProcessSupport
import TestSupport
import Testing

@Suite("The note that a process serves")
struct ServiceTests {
    @Test("is of one process, and neither of the next with its name nor of one with another")
    func service() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        #expect(!directory.hasServed("controller", as: getpid()))
        for _ in 0..<2 { try directory.noteService(of: "controller") }
        #expect(directory.hasServed("controller", as: getpid()))
        #expect(!directory.hasServed("controller", as: getpid() + 1))
        #expect(!directory.hasServed("gateway", as: getpid()))
    }
}
