import FleetProtocol
import Stepping

/// Faults of the cloud: kept here, and told the gateway, which says when it goes by them.
extension Supervision {
    mutating func inject(
        _ fault: CloudFault, for time: Duration, _ ticket: UInt64, at now: MonotonicTime
    ) -> [Effect] {
        if let objection = isEnding ? "the fleet is ending" : cloud.objection(to: fault) {
            return [.answer(ticket, SupervisorReply(failure: objection))]
        }
        cloud.inject(fault, for: time, ticket: ticket, at: now)
        return [.wake(now.advanced(by: CloudFaultBook.patience))]
    }

    mutating func healCloud(_ ticket: UInt64, at now: MonotonicTime) -> [Effect] {
        guard !isEnding else { return [.answer(ticket, SupervisorReply(failure: "the fleet is ending"))] }
        guard cloud.heal(ticket: ticket, at: now) else {
            return [.answer(ticket, SupervisorReply(cloud: cloud.plan(at: now)))]
        }
        return [.wake(now.advanced(by: CloudFaultBook.patience))]
    }

    /// Answers a gateway's report, or holds the answer if neither side has anything new.
    mutating func hear(_ report: CloudReport, _ ticket: UInt64, at now: MonotonicTime) -> [Effect] {
        let heard = cloud.hear(report)
        let taken = answers(heard.answers, at: now)
        let news = cloud.news(for: report, at: now)
        guard news == nil, !heard.isNews, !isEnding else {
            return [.answer(ticket, SupervisorReply(cloud: news))] + taken
        }
        let (until, former) = cloud.listen(ticket, at: now)
        return (former.map { [.answer($0, SupervisorReply())] } ?? []) + taken + [.wake(until)]
    }

    /// Answers a gateway when its wait is over.
    mutating func releaseGateway(at now: MonotonicTime) -> [Effect] {
        cloud.release(at: now).map { [.answer($0.ticket, SupervisorReply(cloud: $0.plan))] } ?? []
    }

    /// Answers to those for whom no gateway has come in time.
    mutating func answerLate(at now: MonotonicTime) -> [Effect] {
        answers(cloud.late(at: now), at: now)
    }

    private func answers(_ answers: [CloudFaultBook.Answer], at now: MonotonicTime) -> [Effect] {
        answers.map { answer in
            .answer(
                answer.ticket,
                SupervisorReply(
                    failure: answer.isTaken
                        ? nil : "no gateway has heard of it yet; it holds as soon as one does",
                    cloud: cloud.plan(at: now), endedFaults: answer.ended))
        }
    }

    private var isEnding: Bool {
        switch phase {
        case .starting, .running: false
        case .ending, .ended: true
        }
    }
}
