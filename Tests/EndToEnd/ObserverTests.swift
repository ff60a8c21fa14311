import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Processes of the observer", .timeLimit(.minutes(1)))
    struct ObserverTests {
        @Test("an observer whose output is not read ends at once on a signal, also after a change of size")
        func unread() async throws {
            let took = try await attempt(until: { $0 <= .seconds(2).slowed }) { try await Self.endUnread() }
            #expect(took <= .seconds(2).slowed)
        }

        /// The time that an observer took to end when its output was blocked.
        private static func endUnread() async throws -> Duration {
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
                    try await lab.eventually("the output is blocked", within: .seconds(10)) {
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
                let took = clock.now - (try #require(asked.value))
                #expect(ended.status == 0, "\(ended.talk)")
                return took
            }
        }

        @Test(
            "an observer has a single memory arena, independent of its number of threads",
            .enabled(if: !Sanitizer.isPresent, "\(Sanitizer.memoryIsItsOwn)"))
        func oneArena() async throws {
            try await Lab.withFleet(devices: 200) { lab in
                try await TestObserver.with(lab) { observer in
                    _ = try await lab.fleet("toggle", "Bedroom 1")
                    await observer.sees { $0.kind == "outcome" }
                    let processID = try #require(await observer.processID)
                    let maps = try String(contentsOfFile: "/proc/\(processID)/maps", encoding: .utf8)
                    try #require(maps.contains("[heap]"))
                    #expect(Self.arenas(in: maps) == [])
                }
            }
        }

        /// The arenas beside the first: 64 MiB each, a part in use and then an inaccessible one.
        private static func arenas(in maps: String) -> [String] {
            let size: UInt64 = 64 << 20
            let areas = maps.split(separator: "\n").map { line in
                let words = line.split(separator: " ")
                let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
                return (line: String(line), start: ends[0], end: ends[1], access: words[1])
            }
            return zip(areas, areas.dropFirst()).compactMap { used, rest in
                let isArena =
                    used.access == "rw-p" && rest.access == "---p" && used.start.isMultiple(of: size)
                    && rest.end == used.start + size
                return isArena ? used.line : nil
            }
        }
    }
}
