import Testing

@testable import FleetProtocol

extension Given {
    /// A part of a tester's result.
    fileprivate var part: TesterPart {
        TesterPart(id: requestID, tester: 1, offset: 15_360, content: [0x7b, 0x7d], isLast: true)
    }

    fileprivate var progress: TesterProgress {
        TesterProgress(offered: 5_000, applied: 4_990, failed: 8, inFlight: 2, p50Us: 310, p99Us: 2_400)
    }
}

extension LoadTestRequest: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let id = given.requestID
        return [
            ("open", .open(LoadTestOpening(id: id, testers: 3, plan: [0x7b, 0x7d]))),
            (
                "open after a restart",
                .open(LoadTestOpening(id: id, testers: 64, plan: [], startsIn: .milliseconds(-1_500)))
            ),
            ("watch", .watch(id)), ("start", .start(id, delay: .seconds(1))),
            ("stop", .stop(id, isAbandoning: false)),
            ("abandon", .stop(id, isAbandoning: true)),
            ("pull the first part", .pull(id, tester: 0, offset: 0)),
            ("pull a later part", .pull(id, tester: 1, offset: 15_360)), ("end", .end(id)),
            ("join", .join(TesterEntry(agent: id, name: given.node))),
            (
                "ready",
                .report(
                    TesterReport(
                        id: id, agent: id, tester: 0, name: given.node, phase: .ready,
                        progress: TesterProgress()))
            ),
            (
                "running",
                .report(
                    TesterReport(
                        id: id, agent: id, tester: 2, name: given.node, phase: .running,
                        progress: given.progress))
            ),
            ("part", .part(given.part)),
        ]
    }
}

extension LoadTestReply: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let id = given.requestID
        return [
            ("no testers yet", .state(LoadTestState(id: id, testers: []))),
            (
                "two testers",
                .state(
                    LoadTestState(
                        id: id,
                        testers: [
                            TesterStatus(
                                tester: 0, name: given.node, phase: .running, progress: given.progress,
                                silent: .milliseconds(412)),
                            TesterStatus(
                                tester: 1, name: given.node, phase: .done, progress: TesterProgress(),
                                silent: .zero),
                        ]))
            ),
            ("ended", .ended), ("part", .part(given.part)),
            (
                "no part yet",
                .part(TesterPart(id: id, tester: 0, offset: 0, content: [], isLast: false))
            ),
            ("order", .order(TesterOrder(id: id, tester: 2, testers: 3, plan: [0x7b, 0x7d]))),
            ("no order", .noOrder), ("wait", .signal(.wait)), ("start", .signal(.start(inUs: 998_210))),
            ("started", .signal(.start(inUs: -1_200))), ("abandon", .signal(.abandon)),
            ("stop", .signal(.stop)), ("taken", .taken(nextOffset: 15_362)),
        ]
    }
}
