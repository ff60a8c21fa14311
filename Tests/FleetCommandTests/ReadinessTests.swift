import FleetProtocol
import Testing

@testable import fleet

@Suite("Readiness")
struct ReadinessTests {
    private let plan = FleetPlan(devices: 100, nodes: 1, seed: 1, scenario: "quiet", restartsNodes: false)

    private func moment(_ milliseconds: Int) -> MonotonicTime {
        .zero.advanced(by: .milliseconds(milliseconds))
    }

    @Test("a fleet is ready when every device has come up, even after the timeout")
    func ready() {
        var readiness = Readiness(of: plan, at: .zero)
        #expect(readiness.judge(.up(99), at: moment(10)) == .again(notify: nil))
        #expect(readiness.judge(.up(100), at: moment(40_000)) == .ready)
    }

    @Test("the progress of a start is printed once a second")
    func progress() {
        var readiness = Readiness(of: plan, at: .zero)
        #expect(readiness.judge(.noSession, at: moment(999)) == .again(notify: nil))
        #expect(
            readiness.judge(.noSession, at: moment(1_000)) == .again(notify: "waiting for the controller"))
        #expect(readiness.judge(.up(50), at: moment(1_050)) == .again(notify: nil))
        #expect(
            readiness.judge(.up(60), at: moment(2_000)) == .again(notify: "60 of 100 devices have come up"))
    }

    @Test(
        "a start that exceeds its timeout fails and names what is missing",
        arguments: [
            (Readiness.Look.noSession, "the controller left no session within 30 s"),
            (.noReply("gone"), "the controller did not answer within 30 s: gone"),
            (.noGateway, "the gateway did not listen within 30 s"),
            (.up(99), "only 99 of 100 devices came up within 30 s"),
        ])
    func late(look: Readiness.Look, text: String) {
        var readiness = Readiness(of: plan, at: .zero)
        #expect(readiness.judge(look, at: moment(29_999)) != .late(text))
        #expect(readiness.judge(look, at: moment(30_000)) == .late(text))
    }
}
