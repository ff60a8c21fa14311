import FleetTime
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
    typealias Generated = Sensibus_V1_LoadTestRequest

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
                .report(TesterReport(id: id, agent: id, tester: 0, name: given.node, phase: .ready))
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
    typealias Generated = Sensibus_V1_LoadTestReply

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

extension MalformedMessage {
    /// Requests about load tests with values that are not allowed.
    static func loadTests() throws -> [MalformedMessage] {
        [
            try changed(
                LoadTestRequest.self, "a load test without testers", from: "open",
                .wrong("load_test.testers", "1 to 64")
            ) { $0.open.testers = 0 },
            try changed(
                LoadTestRequest.self, "a load test of 65 testers", from: "open",
                .wrong("load_test.testers", "1 to 64")
            ) { $0.open.testers = 65 },
            try changed(
                LoadTestRequest.self, "a plan that is too long", from: "open",
                .wrong("load_test.plan", "at most 8192 bytes")
            ) { $0.open.plan = .init(repeating: 0x20, count: 8_193) },
            try changed(
                LoadTestRequest.self, "a start after eleven seconds", from: "start",
                .wrong("load_test.delay_ms", "at most 10.0 seconds")
            ) { $0.start.delayMs = 11_000 },
            try changed(
                LoadTestRequest.self, "a tester's name with a space", from: "join",
                .wrong("tester.name", "1 to 32 characters of [A-Za-z0-9._-]")
            ) { $0.join.name = "my host" },
            try changed(
                LoadTestRequest.self, "a pull beyond the largest result", from: "pull a later part",
                .wrong("load_test.offset", "at most 67108864")
            ) { $0.pull.offset = .max },
            try changed(
                LoadTestRequest.self, "a part beyond the largest result", from: "part",
                .wrong("tester.offset", "at most 67108864")
            ) { $0.part.offset = .max },
            try changed(
                LoadTestRequest.self, "a part that is too long", from: "part",
                .wrong("tester.content", "at most 15360 bytes")
            ) { $0.part.content = .init(repeating: 0x20, count: 15_361) },
        ]
    }
}
