import Circumstances
import Glibc
import SystemPackage
import Testing

extension EndToEnd {
    @Suite("An observer")
    struct ObserverTests {
        @Test(
            "whose output nobody reads ends at once when asked to, whatever the size of the terminal did",
            .timeLimit(.minutes(1)))
        func unread() async throws {
            try await Lab.withFleet(devices: 200) { lab in
                let (reading, writing) = try FileDescriptor.pipe()
                defer { _ = close(reading.rawValue) }
                // F_SETPIPE_SZ, which Swift cannot import from the system's headers.
                let room = fcntl(writing.rawValue, 1_031, 4_096)
                try #require(room > 0, "errno \(errno)")
                let clock = ContinuousClock()
                let asked = Box<ContinuousClock.Instant>()
                let ended = try await lab.run("observer", ["--json"], output: writing) { processID in
                    var before: Int32 = 0
                    try await lab.eventually(
                        "there is more to write, and no room for it", within: .seconds(10)
                    ) {
                        _ = try await lab.fleet("inject", "flip", "all")
                        var unread: Int32 = 0
                        try #require(ioctl(reading.rawValue, UInt(FIONREAD), &unread) == 0, "errno \(errno)")
                        defer { before = unread }
                        return unread > 0 && unread == before
                    }
                    kill(processID, SIGWINCH)
                    kill(processID, SIGTERM)
                    asked.value = clock.now
                }
                #expect(clock.now - (try #require(asked.value)) <= .seconds(2).slowed)
                #expect(ended.status == 0, "\(ended.talk)")
            }
        }
    }
}
