import FleetProtocol
import Foundation
import Testing

@testable import GatewayCore

@Suite("History of a pod that has not changed since the gateway's start")
struct PodPastTests {
    private func past(
        _ outcome: Outcome, number: UInt64, secondsAgo: Int64, command: CommandKind? = .set
    ) throws -> HistoryChunk.PastOutcome {
        HistoryChunk.PastOutcome(
            endedAt: Sample.ago(secondsAgo),
            report: OutcomeReport(
                requestID: RequestID(high: Sample.request.high, low: number), device: Sample.device,
                outcome: outcome, user: try Sample.user(), command: command))
    }

    private func current(
        _ state: DeviceState, by cause: ChangeCause = .request, secondsAgo: Int64
    ) -> StateChange {
        StateChange(of: Sample.device, to: state, from: nil, by: cause, at: Sample.ago(secondsAgo))
    }

    private func records(
        _ history: PodHistory, _ current: StateChange?, limit: String? = nil
    ) throws -> [[String: Any]] {
        let answer = try APIResponse.changes(
            of: try Sample.pod(), in: history, current: current, limit: limit, now: Sample.present)
        return try #require(try Sample.result(of: answer) as? [[String: Any]])
    }

    private func isOn(_ records: [[String: Any]]) -> [Bool?] {
        records.map { ($0["acState"] as? [String: Any])?["on"] as? Bool }
    }

    @Test("a fresh pod has one record: its state, a success, at the time from which the controller knows it")
    func fresh() throws {
        let records = try records(PodHistory(), current(Sample.state(on: false), secondsAgo: 40))
        #expect(records.count == 1)
        let record = try #require(records.first)
        #expect(record["status"] as? String == "Success")
        #expect(record["changedProperties"] as? [String] == [])
        #expect((record["acState"] as? [String: Any])?["on"] as? Bool == false)
        #expect((record["time"] as? [String: Any])?["secondsAgo"] as? Int == 40)
    }

    @Test("the state of a pod is listed after failed requests")
    func onlyFailures() throws {
        var history = PodHistory()
        let expired = try past(.expired, number: 1, secondsAgo: 10)
        history.record(expired.report, from: Sample.state().state, at: expired.endedAt)
        let records = try records(history, current(Sample.state(), secondsAgo: 40))
        #expect(records.map { $0["status"] as? String } == ["Failed", "Success"])
    }

    @Test("a set to the current state is a record without changed properties, and no change of the state")
    func unchanged() throws {
        var history = PodHistory()
        let write = try past(.unchanged(Sample.state()), number: 1, secondsAgo: 5)
        history.record(write.report, from: Sample.state().state, at: write.endedAt)
        let records = try records(history, current(Sample.state(), secondsAgo: 40))
        #expect(records.map { $0["status"] as? String } == ["Success"])
        #expect(records.first?["changedProperties"] as? [String] == [])
        #expect((records.first?["causedByUser"] as? [String: Any])?["email"] as? String != nil)
        #expect((records.first?["time"] as? [String: Any])?["secondsAgo"] as? Int == 5)
        #expect(history.changeTimes(of: Sample.device) == Pod.ChangeTimes())
    }

    @Test("changes from before the gateway's start are listed by time, each with its changed properties")
    func replayed() throws {
        var history = PodHistory()
        let (on, off) = (Sample.state(version: 4), Sample.state(on: false, version: 5))
        history.restore(try past(.applied(off), number: 2, secondsAgo: 60))
        history.restore(try past(.unchanged(off), number: 3, secondsAgo: 50))
        history.restore(try past(.applied(on), number: 1, secondsAgo: 90))
        history.restore(try past(.applied(off), number: 4, secondsAgo: 30, command: .configure))
        history.restore(try past(.expired, number: 5, secondsAgo: 20))
        let records = try records(history, current(off, secondsAgo: 60))
        #expect(records.map { ($0["time"] as? [String: Any])?["secondsAgo"] as? Int } == [50, 60, 90])
        #expect(records.map { $0["changedProperties"] as? [String] } == [[], ["on"], []])
        #expect(isOn(records) == [false, false, true])
        #expect(
            history.changeTimes(of: Sample.device)
                == Pod.ChangeTimes(last: Sample.ago(60), toOff: Sample.ago(60)))
    }

    @Test(
        "a change that is both received and recalled is one record, in either order",
        arguments: [true, false])
    func twice(restoresFirst: Bool) throws {
        var history = PodHistory()
        let (before, after) = (Sample.state(on: false, version: 3), Sample.state(version: 4))
        let (made, failed) = (
            try past(.applied(after), number: 1, secondsAgo: 9),
            try past(.conflict(after), number: 2, secondsAgo: 8)
        )
        func restore() { for one in [made, failed] { history.restore(one) } }
        if restoresFirst { restore() }
        history.record(after, of: Sample.device, from: before.state, by: .request, at: Sample.ago(9))
        for one in [made, failed] { history.record(one.report, from: before.state, at: one.endedAt) }
        if !restoresFirst { restore() }
        let changes = history.changes(of: Sample.device, limit: 20)
        #expect(changes.map(\.shortfall) == [.conflict, nil])
        #expect(changes.last?.before == before.state)
    }

    @Test("a state that a hand remote set without a gateway is listed before older changes")
    func handRemote() throws {
        var history = PodHistory()
        history.restore(try past(.applied(Sample.state(version: 4)), number: 1, secondsAgo: 90))
        let unseen = current(Sample.state(on: false, version: 5), by: .handRemote, secondsAgo: 30)
        let records = try records(history, unseen)
        #expect(records.map { $0["reason"] as? String } == ["ExternalIrCommand", "UserAPI"])
        #expect(isOn(records) == [false, true])
        #expect(isOn(try self.records(history, unseen, limit: "1")) == [false])
        // A row that is older than the newest change adds nothing.
        let late = current(Sample.state(on: false), secondsAgo: 120)
        #expect(isOn(try self.records(history, late)) == [true])
    }

    @Test("a device keeps the newest recalled changes, in any order, up to its share")
    func bounds() throws {
        var history = PodHistory(changesInAll: 8, samplesInAll: 1)
        for second in [4, 12, 1, 9, 7, 3, 11, 2, 10, 8, 6, 5] as [Int64] {
            history.restore(
                try past(
                    .applied(Sample.state(on: second % 2 == 0, version: UInt64(20 - second))),
                    number: UInt64(second), secondsAgo: second))
        }
        let changes = history.changes(of: Sample.device, limit: 20)
        #expect(changes.map(\.at) == (1...8).map { Sample.ago($0) })
    }
}
