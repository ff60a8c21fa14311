import FleetProtocol

/// Command queues of the users of one account: starts, repeats, lookups, and pausing, resuming or cancelling.
struct CommandQueueWorkload {
    private static let commandsAtMost = 4
    private static let longestRunMs = 400

    /// The queues that clients have started or tried to start.
    private var started: [(id: RequestID, plan: QueuePlan)] = []

    /// Chooses the next request of a client; nil for none.
    ///
    /// - Parameter mayStart: Whether another queue can still end in the time without faults.
    mutating func next(
        of client: Client, devices: [DeviceID], mayStart: Bool, at now: WallTime,
        using random: inout SeededGenerator
    ) -> QueueRequest? {
        let recent = started.suffix(4).randomElement(using: &random)
        switch (Int.random(in: 0..<12, using: &random), recent) {
        case (4...5, let known?): return .start(known.id, known.plan)
        case (6, let known?): return .start(known.id, Self.newPlan(devices, using: &random) ?? known.plan)
        case (7...9, let known?):
            return .steer(known.id, QueueSteering.allCases.randomElement(using: &random) ?? .pause)
        case (10, let known?): return .report(known.id)
        case (11, _): return .list(before: nil, limit: 10)
        default:
            guard mayStart, let plan = Self.newPlan(devices, using: &random) else { return nil }
            let id = RequestID(at: now.advanced(by: client.clockError), using: &random)
            started.append((id, plan))
            return .start(id, plan)
        }
    }

    /// A few commands; nil if the plan is not valid.
    private static func newPlan(_ devices: [DeviceID], using random: inout SeededGenerator) -> QueuePlan? {
        let count = Int.random(in: 1...commandsAtMost, using: &random)
        let commands = (1...count).compactMap { number -> QueueCommand? in
            guard let device = devices.randomElement(using: &random) else { return nil }
            let isToggle = Int.random(in: 0..<4, using: &random) > 0
            let change = ACStateChange(isOn: Bool.random(using: &random))
            let takes = Duration.milliseconds(Int.random(in: 0...longestRunMs, using: &random))
            return QueueCommand(
                label: "\(number)", device: device, kind: isToggle ? .toggle : .set(change), takes: takes)
        }
        let onFailure: QueuePlan.OnFailure = Bool.random(using: &random) ? .stop : .proceed
        return try? QueuePlan(commands: commands, onFailure: onFailure)
    }
}
