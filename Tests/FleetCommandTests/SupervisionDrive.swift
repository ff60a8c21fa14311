import FleetProtocol
import Testing

@testable import fleet

/// Supervision rules with a clock that the test advances.
struct Drive {
    var rules: Supervision
    var now = MonotonicTime.zero

    init(
        nodes: Int = 2, observer: Bool = false, restartsNodes: Bool? = nil, gateway: Bool = false,
        gatewayBuild: String? = nil
    ) {
        let plan = FleetPlan(
            devices: 10 * nodes, nodes: nodes, seed: 1, scenario: "quiet", restartsNodes: restartsNodes,
            gateway: gateway ? FleetPlan.Gateway(port: .fixed(1), build: gatewayBuild) : nil)
        rules = Supervision(plan, isShown: observer)
    }

    /// A ready fleet whose processes run.
    static func ready(
        nodes: Int = 2, observer: Bool = false, restartsNodes: Bool? = nil, gateway: Bool = false
    ) -> Drive {
        var drive = Drive(nodes: nodes, observer: observer, restartsNodes: restartsNodes, gateway: gateway)
        _ = drive.rules.begin()
        for process in drive.rules.processes where process.role != .observer { drive.start(process.name) }
        _ = drive.step(.becameReady)
        if observer { drive.start("observer") }
        return drive
    }

    mutating func step(_ event: Supervision.Event) -> [Supervision.Effect] {
        rules.step(event, at: now)
    }

    /// The reply to a request of a client that is answered at once, or by that event.
    mutating func reply(to request: SupervisorRequest, ticket: UInt64 = 99) -> SupervisorReply? {
        Self.reply(step(.asked(request, ticket: ticket)), ticket)
    }

    /// The reply among those effects.
    static func reply(_ effects: [Supervision.Effect], _ ticket: UInt64) -> SupervisorReply? {
        for case .answer(ticket, let reply) in effects { return reply }
        return nil
    }

    mutating func start(_ name: String) {
        let number = rules.processes.firstIndex { $0.name == name } ?? 0
        let effects = step(.started(name, processID: Int32(100 + number)))
        #expect(effects == [])
    }

    mutating func pass(_ duration: Duration) {
        now = now.advanced(by: duration)
    }

    func state(of name: String) -> FleetProcess.State? {
        rules.rows.first { $0.name == name }?.state
    }
}
