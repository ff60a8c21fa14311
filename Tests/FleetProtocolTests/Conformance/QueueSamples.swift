import Testing

@testable import FleetProtocol

extension Given {
    /// A plan of a toggle and a change, and one with a single command without a duration.
    func plans() -> [QueuePlan] {
        let toggle = QueueCommand(label: "1", device: device, kind: .toggle, takes: .seconds(10))
        let change = ACStateChange(isOn: true, mode: .heat, targetTemperature: 21, fanLevel: .low)
        let set = QueueCommand(
            label: "wärmer", device: otherDevice, kind: .set(change), takes: .milliseconds(500))
        let short = QueueCommand(label: "now", device: device, kind: .toggle, takes: .zero)
        let whole = try? QueuePlan(commands: [toggle, set], onFailure: .proceed)
        let bare = try? QueuePlan(commands: [short], onFailure: .stop)
        return [whole, bare].compactMap(\.self)
    }

    /// A queue of one command for each state, all of which are in a list.
    func queueReports() -> [QueueReport] {
        let plan = plans()[1]
        return QueueState.allCases.map { state in
            QueueReport(
                id: requestID, plan: plan, author: email, startedAt: at, state: state,
                endedAt: state.isFinal ? at.advanced(by: .seconds(1)) : nil,
                progress: [state.isFinal ? .skipped : .running(requestID)])
        }
    }

    /// A queue with an ended command of that kind, whose next command waits.
    func queueReport(_ kind: QueuedOutcome.Kind) -> QueueReport {
        let why = kind.isSuccess ? "" : "the device was changed meanwhile"
        return QueueReport(
            id: requestID, plan: plans()[0], author: email, startedAt: at, state: .paused,
            progress: [.ended(requestID, QueuedOutcome(kind, why, at: at)), .waiting])
    }

    /// A queue with an ended command of each kind, whose next command waits.
    func endedReport() -> QueueReport? {
        let kinds = QueuedOutcome.Kind.allCases
        let commands = (0...kinds.count).map {
            QueueCommand(label: "\($0)", device: device, kind: .toggle, takes: .zero)
        }
        let ends = kinds.map { kind in
            let why = kind.isSuccess ? "" : "the device was changed meanwhile"
            return QueueProgress.ended(requestID, QueuedOutcome(kind, why, at: at))
        }
        return (try? QueuePlan(commands: commands, onFailure: .proceed)).map {
            QueueReport(
                id: requestID, plan: $0, author: email, startedAt: at, state: .paused,
                progress: ends + [.waiting])
        }
    }
}

extension QueueRequest: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let id = given.requestID
        let plans = zip(["start a queue", "start a short queue"], given.plans())
        let requests: [(name: String, value: QueueRequest)] =
            plans.map { ($0, .start(id, $1)) } + [
                ("a queue", .report(id)), ("queues", .list(before: nil, limit: 20)),
                ("queues, next chunk", .list(before: id, limit: 100)),
            ] + QueueSteering.allCases.map { ("\($0) a queue", .steer(id, $0)) }
        return requests
    }
}

extension QueueReply: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let reports = given.queueReports()
        let some = reports.filter { $0.state == .running || $0.state == .failed }
        let ended = given.endedReport().map { ("a queue with every end", QueueReply.report($0)) }
        let list = QueueList(queues: reports.map(\.summary), isLast: false)
        let replies: [(name: String, value: QueueReply)] =
            some.map { ("a queue that is \($0.state.name)", .report($0)) } + [ended].compactMap(\.self) + [
                ("queues", .list(list)),
                ("no queues", .list(QueueList(queues: [], isLast: true))),
            ]
        return replies
    }
}

extension QueueRecord: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [
            ("a stored queue", .report(given.queueReport(.rejected))),
            ("the time of removed queues", .removed(upTo: given.at)),
        ]
    }
}
