import Bus
import Testing

@Suite("Programmer errors end the process")
struct PreconditionTests {
    @Test("accessing a frame beyond the message ends the process")
    func frameIndex() async {
        await #expect(processExitsWith: .failure) {
            let frames = Frames()
            _ = frames.array(at: 0)
        }
    }

    @Test("sending a message without frames ends the process")
    func noFrames() async {
        await #expect(processExitsWith: .failure) {
            let pair = try Socket(.pair, context: Fixture.context)
            _ = try pair.send([[UInt8]]())
        }
    }

    @Test("using a loop of another thread ends the process")
    func foreignThread() async {
        await #expect(processExitsWith: .failure) {
            let loop = try Loop.start(name: "foreign", context: Fixture.context)
            loop.schedule(after: .seconds(1)) {}
        }
    }

    @Test("registering a socket twice ends the process")
    func registeredTwice() async {
        await #expect(processExitsWith: .failure) {
            let loop = try Loop(name: "twice", context: Fixture.context)
            let pair = try Socket(.pair, context: Fixture.context)
            loop.register(pair) {}
            loop.register(pair) {}
        }
    }

    @Test("shutting down a loop that run() drives ends the process")
    func shutdownOfRun() async {
        await #expect(processExitsWith: .failure) {
            let loop = try Loop(name: "run", context: Fixture.context)
            await loop.shutdown()
        }
    }
}
