import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

/// Every account × role × queue request: its reply, and what the reply reveals of other accounts.
@Suite("Access to queues by account and role")
struct QueueAccessTests {
    /// The requests, about a queue and devices of the first account.
    enum Question: CaseIterable, Sendable {
        case list, report, start, repeatStart, pause, resume, stop, cancel

        var isReading: Bool { self == .list || self == .report }

        func request(_ id: RequestID, _ plan: QueuePlan, new: RequestID) -> QueueRequest {
            switch self {
            case .list: .list(before: nil, limit: 100)
            case .report: .report(id)
            case .start: .start(new, plan)
            case .repeatStart: .start(id, plan)
            case .pause: .steer(id, .pause)
            case .resume: .steer(id, .resume)
            case .stop: .steer(id, .stop)
            case .cancel: .steer(id, .cancel)
            }
        }
    }

    private let bench: Bench
    private let id: RequestID
    private let plan: QueuePlan
    private let before: QueueReport

    init() throws {
        bench = Bench.withAskers()
        plan = try bench.plan(2, devices: 1)
        id = bench.start(plan, token: Asker(account: Asker.accounts[0], role: .member).token).id
        let viewer = Asker(account: Asker.accounts[0], role: .viewer)
        before = try #require(Self.report(of: id, bench, as: viewer))
        bench.effects = []
    }

    private static func report(of id: RequestID, _ bench: Bench, as asker: Asker) -> QueueReport? {
        bench.queueReply(to: bench.ask(.commandQueues(.report(id)), token: asker.token))
    }

    @Test(
        "all users of an account read its queues, members steer them, and others have no access",
        arguments: Asker.all, Question.allCases)
    func matrix(asker: Asker, question: Question) throws {
        let request = question.request(id, plan, new: bench.newID())
        let reply = try bench.answer(to: .commandQueues(request), of: asker)
        let isOwn = asker.account == Asker.accounts[0]
        if asker.role == nil {
            #expect(reply == .refusal(.unauthenticated))
        } else if !question.isReading, asker.role == .viewer {
            #expect(reply.refusal?.kind == "notAllowed", "\(reply)")
        } else if isOwn {
            guard case .commandQueues? = reply.decoded else {
                Issue.record("\(question) was answered \(reply)")
                return
            }
        } else if question == .list {
            #expect(reply == .commandQueues(.list(QueueList(queues: [], isLast: true))))
        } else {
            // The devices and the queue belong to the first account.
            #expect(reply == .refusal(.notFound))
        }
        let viewer = Asker(account: Asker.accounts[0], role: .viewer)
        let after = Self.report(of: id, bench, as: viewer)
        let maySteer = isOwn && (asker.role == .owner || asker.role == .member)
        if maySteer, question == .pause || question == .stop || question == .cancel {
            #expect(after?.state != before.state)
        } else {
            #expect(after == before)
            if question != .start || !maySteer {
                #expect(bench.recordChanges.isEmpty)
            }
        }
    }
}
