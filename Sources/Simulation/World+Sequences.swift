import FleetProtocol
import FleetTime

/// Clients that have several things done one after another, ask again, and steer.
extension World {
    private static let commandsAtMost = 4
    private static let longestTakes = 400
    /// Sequences that have not ended: as many as can end in the calm, in which each command waits a moment
    /// where hardly any request may be in flight.
    private var openAtMost: Int { hazards.tightBounds ? 1 : 6 }

    mutating func actOnSequences() {
        guard !isHealed else { return endSequences() }
        let pause = Duration.milliseconds(Int.random(in: 50...400, using: &scripts))
        events.set(.scripts, at: now.monotonic.advanced(by: pause))
        let index = Int.random(in: customers.indices, using: &scripts)
        let recent = started[Self.place(of: customers[index].account)].suffix(4).randomElement(
            using: &scripts)
        switch (Int.random(in: 0..<12, using: &scripts), recent) {
        case (4...5, let known?): ask(.sequences(.start(known.id, known.plan)), from: index)
        case (6, let known?):
            ask(.sequences(.start(known.id, newPlan(for: index) ?? known.plan)), from: index)
        case (7...9, let known?):
            let steering = SequenceSteering.allCases.randomElement(using: &scripts) ?? .pause
            ask(.sequences(.steer(known.id, steering)), from: index)
        case (10, let known?): ask(.sequences(.report(known.id)), from: index)
        case (11, _): ask(.sequences(.list(before: nil, limit: 10)), from: index)
        default: startSequence(from: index)
        }
    }

    private mutating func startSequence(from index: Int) {
        guard ledger.openSequences.count < openAtMost, let plan = newPlan(for: index) else { return }
        let (account, clockError) = (customers[index].account, customers[index].clockError)
        let id = RequestID(at: now.wall.advanced(by: clockError), using: &scripts)
        started[Self.place(of: account)].append((id, plan))
        ask(.sequences(.start(id, plan)), from: index)
    }

    /// A few commands for devices of a client's account; nil where the plan is not allowed.
    private mutating func newPlan(for index: Int) -> SequencePlan? {
        let devices = ledger.devices(of: customers[index].account)
        let count = Int.random(in: 1...Self.commandsAtMost, using: &scripts)
        let commands = (1...count).compactMap { place -> SequenceCommand? in
            guard let device = devices.randomElement(using: &scripts) else { return nil }
            let isToggle = Int.random(in: 0..<4, using: &scripts) > 0
            let change = ACStateChange(isOn: Bool.random(using: &scripts))
            let takes = Duration.milliseconds(Int.random(in: 0...Self.longestTakes, using: &scripts))
            return SequenceCommand(
                label: "\(place)", device: device, kind: isToggle ? .toggle : .set(change), takes: takes)
        }
        let onFailure: SequencePlan.OnFailure = Bool.random(using: &scripts) ? .stop : .goOn
        return try? SequencePlan(commands: commands, onFailure: onFailure)
    }

    /// What is paused goes on, so that all of it can end; also what is heard of late.
    private mutating func endSequences() {
        events.set(.scripts, at: now.monotonic.advanced(by: .milliseconds(200)))
        for (key, state) in ledger.openSequences where state == .paused {
            guard let index = customers.firstIndex(where: { $0.account == key.account }) else { continue }
            ask(.sequences(.steer(key.id, .resume)), from: index)
        }
    }
}

extension ClientRequest.Body {
    /// A request about command queues.
    fileprivate static func sequences(_ request: SequenceRequest) -> Self {
        .service(ServiceMessage(request))
    }
}
