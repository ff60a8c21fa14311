import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

/// A bench with functions for queue requests.
extension Bench {
    /// Commands for the first devices, in turn, named `a`, `b`, `c`, each with that duration.
    func plan(
        _ count: Int = 3, _ onFailure: QueuePlan.OnFailure = .stop, devices: Int = 3,
        takes: Duration = .seconds(2)
    ) throws -> QueuePlan {
        let commands = (0..<count).map { index in
            QueueCommand(
                label: String(UnicodeScalar(UInt8(97 + index))),
                device: Bench.device(index % devices), kind: .toggle, takes: takes)
        }
        return try QueuePlan(commands: commands, onFailure: onFailure)
    }

    /// Starts a queue, and sends its first command.
    @discardableResult
    func start(
        _ plan: QueuePlan, id: RequestID? = nil, token: TokenDigest? = Bench.token
    ) -> (id: RequestID, correlation: UInt64) {
        let id = id ?? newID()
        let correlation = ask(.commandQueues(.start(id, plan)), token: token)
        turns()
        return (id, correlation)
    }

    /// As many turns as are needed to store the started command and to admit it.
    func turns() {
        for _ in 0..<3 { step(.turn(lastTook: .zero)) }
    }

    @discardableResult
    func steer(_ id: RequestID, _ steering: QueueSteering, token: TokenDigest? = Bench.token) -> UInt64 {
        let correlation = ask(.commandQueues(.steer(id, steering)), token: token)
        turns()
        return correlation
    }

    /// The device executes the command that was sent last, and the next one may be sent.
    func carryOutLast() {
        carryOutNewest()
        turns()
    }

    func commandQueue(_ id: RequestID) -> QueueReport? {
        queueReply(to: ask(.commandQueues(.report(id))))
    }

    /// The request of a queue's first command, while it runs.
    func runningRequest(of id: RequestID) -> RequestID? {
        if case .running(let request)? = commandQueue(id)?.progress.first { request } else { nil }
    }

    func queueReply(to correlation: UInt64) -> QueueReport? {
        if case .commandQueues(.report(let report))? = replies(to: correlation).last?.decoded {
            report
        } else {
            nil
        }
    }

    /// The state of each command of a queue, in a word.
    func progress(_ id: RequestID) -> [String] {
        (commandQueue(id)?.progress ?? []).map { progress in
            switch progress {
            case .waiting: "waiting"
            case .running: "running"
            case .ended(_, let end): end.kind.name
            case .skipped: "leftOut"
            }
        }
    }
}
