import FleetProtocol
import Logging
import ProcessSupport
import Testing

@Suite("Refused messages")
struct RefusedMessagesTests {
    private enum Kind: String {
        case frames, node
    }

    private static func second(_ seconds: Double) -> MonotonicTime {
        .zero.advanced(by: .seconds(seconds))
    }

    @Test("refused messages are counted by kind, with the first reason, and reported once")
    func report() {
        var refused = RefusedMessages<Kind>()
        #expect(refused.report(at: Self.second(0)) == nil)
        refused.count(.frames, times: 0)
        #expect(refused.report(at: Self.second(0)) == nil)
        refused.count(.frames, times: 64)
        refused.count(.node, because: "too long")
        refused.count(.node, because: "another version")
        #expect(
            refused.report(at: Self.second(0)) == ["frames": "64", "node": "2", "reason": "too long"])
        #expect(refused.report(at: Self.second(9)) == nil)
    }

    @Test("refused messages are reported at most once a second, and all are counted")
    func throttled() {
        var refused = RefusedMessages<Kind>()
        var reports = 0
        for millisecond in 0..<2_500 {
            refused.count(.node)
            if refused.report(at: Self.second(Double(millisecond) / 1_000)) != nil { reports += 1 }
        }
        #expect(reports == 3)
        #expect(refused.report(at: Self.second(3)) == ["node": "499"])
    }

    @Test("a reason is formatted once per report, not per message")
    func reasonIsLazy() {
        var refused = RefusedMessages<Kind>()
        var asked = 0
        func reason() -> String {
            asked += 1
            return "reason"
        }
        for _ in 0..<1_000 { refused.count(.node, because: reason()) }
        #expect(asked == 1)
    }
}
