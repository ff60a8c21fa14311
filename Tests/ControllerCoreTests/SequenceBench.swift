import FleetProtocol
import FleetTime
import TestSupport
import Testing

@testable import ControllerCore

/// A bench with functions for sequence requests.
extension Bench {
    /// Commands for the first devices, in turn, named `a`, `b`, `c`, each with that duration.
    func plan(
        _ count: Int = 3, _ onFailure: SequencePlan.OnFailure = .stop, devices: Int = 3,
        takes: Duration = .seconds(2)
    ) throws -> SequencePlan {
        let commands = (0..<count).map { index in
            SequenceCommand(
                label: String(UnicodeScalar(UInt8(97 + index))),
                device: DeviceID(fleetSeed: 1, index: UInt64(index % devices)), kind: .toggle, takes: takes)
        }
        return try SequencePlan(commands: commands, onFailure: onFailure)
    }

    /// Starts a sequence, and sends its first command.
    @discardableResult
    func start(
        _ plan: SequencePlan, id: RequestID? = nil, token: TokenDigest? = Bench.token
    ) -> (id: RequestID, correlation: UInt64) {
        let id = id ?? newID()
        let correlation = ask(.sequences(.start(id, plan)), token: token)
        turns()
        return (id, correlation)
    }

    /// As many turns as are needed to store the started command and to admit it.
    func turns() {
        for _ in 0..<3 { step(.turn(lastTook: .zero)) }
    }

    @discardableResult
    func steer(_ id: RequestID, _ steering: SequenceSteering, token: TokenDigest? = Bench.token) -> UInt64 {
        let correlation = ask(.sequences(.steer(id, steering)), token: token)
        turns()
        return correlation
    }

    /// The device executes the command that was sent last, and the next one may be sent.
    func carryOutLast() throws {
        carryOut(try #require(commands.last))
        turns()
    }

    func sequence(_ id: RequestID) -> SequenceReport? {
        sequenceReply(to: ask(.sequences(.report(id))))
    }

    func sequenceReply(to correlation: UInt64) -> SequenceReport? {
        if case .sequences(.report(let report))? = replies(to: correlation).last?.decoded {
            report
        } else {
            nil
        }
    }

    /// The state of each command of a sequence, in a word.
    func progress(_ id: RequestID) -> [String] {
        (sequence(id)?.progress ?? []).map { progress in
            switch progress {
            case .waiting: "waiting"
            case .running: "running"
            case .ended(_, let end): end.kind.name
            case .leftOut: "leftOut"
            }
        }
    }
}
