import UserText

/// The devices of a list, and their order.
struct DeviceQuery: Sendable {
    /// The selectors; empty for all devices.
    var selectors: [String] = []
    /// The condition that each device must satisfy; nil for none.
    var filter: Condition?
    /// The order; nil for the order of the controller.
    var order: DeviceOrder?

    /// Returns the devices of the list, in the order of the directory.
    ///
    /// - Throws: `CommandFailure` of status 64 for a malformed condition.
    func devices(of directory: DeviceDirectory) throws(CommandFailure) -> [ListedDevice] {
        let selected = try directory.listed(by: selectors)
        guard let filter else { return selected }
        return selected.filter { filter.holds(of: $0) }
    }

    /// Returns the condition that a device of the list satisfies; nil for all devices.
    ///
    /// - Throws: As ``devices(of:)``.
    func condition(in directory: DeviceDirectory) throws(CommandFailure) -> Condition? {
        guard let selected = try directory.condition(for: selectors) else { return filter }
        return filter.map { .and(selected, $0) } ?? selected
    }

    func sorted(_ lines: [DeviceLine]) -> [DeviceLine] { order?.sorted(lines) ?? lines }
}
