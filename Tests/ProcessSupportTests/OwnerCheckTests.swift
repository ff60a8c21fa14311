import FleetProtocol
import Testing

@testable import ProcessSupport

@Suite("The check of a process's own files")
struct OwnerCheckTests {
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    @Test("it is due at first, and then each second")
    func interval() {
        var check = OwnerCheck()
        let due = [0, 0, 999, 1_000, 1_999, 2_000].map {
            check.isDue(at: Self.start.advanced(by: .milliseconds($0)))
        }
        #expect(due == [true, false, false, true, false, true])
    }

    @Test("it is due when the wall clock alone has advanced, or was set back", arguments: [3_600, -1])
    func resumed(seconds: Int) {
        var check = OwnerCheck()
        let later = Moment(
            monotonic: Self.start.monotonic.advanced(by: .milliseconds(1)),
            wall: Self.start.wall.advanced(by: .seconds(seconds)))
        let due = [Self.start, later, later].map { check.isDue(at: $0) }
        #expect(due == [true, true, false])
    }
}
