import FleetTime
import Testing

@testable import FleetProtocol

extension Given {
    /// A plan of a toggle and a change, and one with a single command without a duration.
    func plans() -> [SequencePlan] {
        let toggle = SequenceCommand(label: "1", device: device, kind: .toggle, takes: .seconds(10))
        let change = ACStateChange(isOn: true, mode: .heat, targetTemperature: 21, fanLevel: .low)
        let set = SequenceCommand(
            label: "wärmer", device: otherDevice, kind: .set(change), takes: .milliseconds(500))
        let short = SequenceCommand(label: "now", device: device, kind: .toggle, takes: .zero)
        let whole = try? SequencePlan(commands: [toggle, set], onFailure: .goOn)
        let bare = try? SequencePlan(commands: [short], onFailure: .stop)
        return [whole, bare].compactMap(\.self)
    }

    /// A sequence of one command for each state.
    func sequenceReports() -> [SequenceReport] {
        let plan = plans()[1]
        return SequenceState.allCases.map { state in
            SequenceReport(
                id: requestID, plan: plan, author: email, startedAt: at, state: state,
                endedAt: state.isFinal ? at.advanced(by: .seconds(1)) : nil,
                progress: [state.isFinal ? .leftOut : .running(requestID)])
        }
    }

    /// A sequence with an ended command of that kind, whose next command waits.
    func sequenceReport(_ kind: SequenceEnd.Kind) -> SequenceReport {
        let why = kind.isSuccess ? "" : "the device was changed meanwhile"
        return SequenceReport(
            id: requestID, plan: plans()[0], author: email, startedAt: at, state: .paused,
            progress: [.ended(requestID, SequenceEnd(kind, why, at: at)), .waiting])
    }
}

extension SequenceRequest: Conformant {
    typealias Generated = Sensibus_V1_SequenceRequest

    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let id = given.requestID
        let plans = zip(["start a sequence", "start a short sequence"], given.plans())
        let requests: [(name: String, value: SequenceRequest)] =
            plans.map { ($0, .start(id, $1)) } + [
                ("a sequence", .report(id)), ("sequences", .list(before: nil, limit: 20)),
                ("sequences, next chunk", .list(before: id, limit: 100)),
            ] + SequenceSteering.allCases.map { ("\($0) a sequence", .steer(id, $0)) }
        return requests
    }
}

extension SequenceReply: Conformant {
    typealias Generated = Sensibus_V1_SequenceReply

    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let reports = given.sequenceReports()
        let ends = SequenceEnd.Kind.allCases.map {
            ("a sequence with a command \($0.name)", SequenceReply.report(given.sequenceReport($0)))
        }
        let list = SequenceList(sequences: reports.map(\.summary), isLast: false)
        let replies: [(name: String, value: SequenceReply)] =
            reports.map { ("a sequence that is \($0.state.name)", .report($0)) } + ends + [
                ("sequences", .list(list)),
                ("no sequences", .list(SequenceList(sequences: [], isLast: true))),
            ]
        return replies
    }
}
