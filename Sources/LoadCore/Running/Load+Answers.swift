import DequeModule
public import FleetProtocol
public import Stepping

/// What comes back, and what does not.
extension Load {
    /// An answer came; one that nobody waits for any more is dropped.
    public mutating func answered(_ reply: ClientReply, at now: MonotonicTime) {
        guard let (number, part) = reply.correlation.correlated, var request = outstanding[number] else {
            return
        }
        let isFirst = !request.isAnswered
        guard request.answered.insert(part) else { return }
        if case .cancel = part {
            let leftAt = request.followedAt ?? request.intended
            record(request.isMeasured) { $0.endCancel(reply.body, took: leftAt.duration(to: now)) }
        } else if isFirst {
            unanswered -= 1
            record(request.isMeasured) { $0.end(request, with: reply.body, at: now) }
            if request.fate == .retried { firstAnswers[number] = FirstAnswer(reply.body) }
        } else if let first = firstAnswers.removeValue(forKey: number) {
            record(request.isMeasured) { $0.compare(first, FirstAnswer(reply.body)) }
        }
        outstanding[number] = request.isComplete ? nil : request
    }

    /// Gives up what had no answer in time.
    public mutating func turn(at now: MonotonicTime) {
        while let first = givingUp.first, first.at <= now || outstanding[first.number] == nil {
            givingUp.removeFirst()
            guard let request = outstanding[first.number] else { continue }
            giveUp(request, first.number, in: request.leftAt == nil ? .notSent : .noAnswer)
        }
    }

    mutating func giveUp(
        _ request: Outstanding, _ number: UInt64, in silence: LoadRecorder.Silence
    ) {
        outstanding[number] = nil
        firstAnswers[number] = nil
        if !request.isAnswered { unanswered -= 1 }
        record(request.isMeasured) { recorder in
            if !request.isAnswered { recorder.end(request, in: silence) }
            if silence != .abandoned, request.followedAt != nil { recorder.endFollowUpInSilence(of: request) }
        }
    }
}
