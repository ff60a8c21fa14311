import FleetProtocol
import Testing

@testable import observer

@Suite("The pace of frames")
struct FramePaceTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000_000 + milliseconds * 1_000_000)
    }

    /// The milliseconds of three seconds at which a frame is drawn.
    private static func frames(keyEvery interval: Int64?) -> [Int64] {
        var pace = FramePace()
        return (Int64(0)..<3_000).filter { millisecond in
            if let interval, millisecond.isMultiple(of: interval) { pace.hurry() }
            return pace.claim(at: time(millisecond))
        }
    }

    @Test(
        "a second has at most 30 frames, at any rate of keys",
        arguments: [nil, 1, 7, 20, 33, 34, 45, 500])
    func bounded(interval: Int64?) {
        let frames = Self.frames(keyEvery: interval)
        for start in frames {
            let count = frames.count { (start..<start + 1_000).contains($0) }
            #expect(count <= 30, "from \(start) ms on")
        }
    }

    @Test("without keys a frame is drawn 20 times a second")
    func regular() {
        #expect(Self.frames(keyEvery: nil).count == 60)
    }

    @Test("a key is followed by a frame at once, and endless keys within 40 ms")
    func keys() {
        var pace = FramePace()
        var latest: Int64 = 0
        var pressedAt: Int64?
        for millisecond in Int64(0)..<3_000 {
            if pressedAt == nil, millisecond.isMultiple(of: 25) {
                pace.hurry()
                pressedAt = millisecond
            }
            guard pace.claim(at: Self.time(millisecond)), let pressed = pressedAt else { continue }
            if millisecond < 100 { #expect(millisecond == pressed) }
            latest = max(latest, millisecond - pressed)
            pressedAt = nil
        }
        #expect(latest <= 40)
    }

    @Test("the pace returns the time until the next frame")
    func waits() {
        var pace = FramePace()
        #expect(pace.wait(at: Self.time(0)) == .zero)
        var isDrawn = pace.claim(at: Self.time(0))
        #expect(isDrawn)
        isDrawn = pace.claim(at: Self.time(20))
        #expect(!isDrawn)
        #expect(pace.wait(at: Self.time(20)) == .milliseconds(30))
        pace.hurry()
        #expect(pace.wait(at: Self.time(20)) == .zero)
    }
}
