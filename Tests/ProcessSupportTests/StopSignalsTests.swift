import Glibc
import ProcessSupport
import Testing

@Suite("Requests to end")
struct StopSignalsTests {
    @Test(
        "a stop signal to a thread that blocks it is read from the descriptor, once",
        arguments: StopSignal.allCases)
    func read(signal: StopSignal) throws {
        let signals = try StopSignals()
        #expect(signals.read() == nil)
        #expect(pthread_kill(pthread_self(), signal.number) == 0)
        #expect(signals.read() == signal)
        #expect(signals.read() == nil)
    }

    @Test("a process whose parent is another than expected is an orphan, and without expectation is not")
    func orphan() {
        #expect(!ParentWatch(expectedParent: nil).isOrphaned)
        #expect(!ParentWatch(expectedParent: getppid()).isOrphaned)
        #expect(ParentWatch(expectedParent: getppid() + 1).isOrphaned)
    }
}
