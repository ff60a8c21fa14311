import FleetProtocol

/// The start of the fleet, and of a gateway that is built while the fleet runs.
extension Supervision {
    /// Returns the first effects: every process starts, except the observer and a gateway to be built.
    mutating func begin() -> [Effect] {
        let isBuilt = plan.gatewayBuild == nil
        return start(where: { $0.role != .observer && (isBuilt || $0.role != .gateway) })
            + (isBuilt ? [] : processes.indices.filter { processes[$0].role == .gateway }.map { build($0) })
    }

    private mutating func build(_ index: Int) -> Effect {
        processes[index].runState = .building
        return .build(processes[index].name)
    }

    /// Starts the gateway after its build; after a failed one it starts on request.
    mutating func built(_ end: ProcessEnd) -> [Effect] {
        guard let index = processes.firstIndex(where: { $0.runState == .building }) else { return [] }
        let name = processes[index].name
        if end == .exited(0) { return [start(index)] }
        processes[index].runState = .dead
        processes[index].lastEnd = end
        return [.notify("\(name) was not built, its build \(end.text): see `fleet logs \(name)`")]
    }
}
