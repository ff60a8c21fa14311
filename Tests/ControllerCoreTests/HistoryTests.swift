import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Outcome history")
struct HistoryTests {
    private let bench = Bench.withDevices()

    @Test("the history has the account's outcomes from the given time on, with their times")
    func reported() throws {
        let early = bench.toggle()
        bench.carryOut(bench.commands[0])
        let earlyEnd = bench.now.wall
        bench.passWithPings(.seconds(60))
        let late = bench.toggle()
        bench.carryOut(bench.commands[1])
        let all = try bench.history(back: .seconds(120))
        #expect(all.flatMap(\.outcomes).map(\.report.requestID) == [early.id, late.id])
        #expect(all.flatMap(\.outcomes).map(\.endedAt) == [earlyEnd, bench.now.wall])
        #expect(all.last?.completeSince == nil)
        let newest = try bench.history(back: .seconds(30)).flatMap(\.outcomes)
        #expect(newest.map(\.report.requestID) == [late.id])
        #expect(newest.map(\.report.outcome) == [.applied(bench.reportedState())])
        let strangers = try bench.history(back: .seconds(120), token: Bench.strangerToken)
        #expect(strangers.flatMap(\.outcomes).isEmpty)
    }

    @Test("the history survives a restart of the controller")
    func restarted() throws {
        let toggle = bench.toggle()
        bench.carryOut(bench.commands[0])
        try bench.restartWithNode()
        let ends = try bench.history(back: .seconds(120)).flatMap(\.outcomes)
        #expect(ends.map(\.report.requestID) == [toggle.id])
    }

    @Test("the history has each command's kind, also after a restart, and none for an unseen ID")
    func kinds() throws {
        let bench = Bench.withDevices(4)
        let change = ACStateChange(isOn: true)
        let kinds: [Command.Kind] = [.toggle, .set(change), .correct(change), .configure(.noTimer)]
        for (place, kind) in kinds.enumerated() {
            let correlation = bench.send(kind, to: place)
            bench.carryOut(bench.commands[place])
            #expect(bench.report(of: correlation)?.command == kind.kind)
        }
        bench.cancel(bench.newID())
        for _ in 0..<2 {
            let ends = try bench.history(back: .seconds(120)).flatMap(\.outcomes)
            #expect(Set(ends.map(\.report.command)) == [.toggle, .set, .correct, .configure, nil])
            try bench.restartWithNode()
        }
    }

    @Test(
        "an outcome has the version before a set, although a hand remote changed the device in between",
        arguments: [(2, 4, 3), (1, 2, 2)] as [(Int, UInt64, UInt64)])
    func versionBefore(changes: Int, version: UInt64, before: UInt64) throws {
        let correlation = bench.send(.set(ACStateChange(isOn: true)))
        for number in 0..<changes { bench.change(0, isOn: number.isMultiple(of: 2)) }
        bench.carryOutNewest()
        let report = try #require(bench.report(of: correlation))
        #expect(bench.publishedOutcomes == [report])
        #expect(report.outcome.state?.version == Version(version))
        #expect(report.versionBefore == Version(before))
    }
}
