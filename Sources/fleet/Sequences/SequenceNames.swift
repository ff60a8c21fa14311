import FleetProtocol
import UserText

/// What the devices of a sequence are called.
struct SequenceNames: Sendable {
    private let names: [DeviceID: String]

    /// The names that a directory knows.
    init(_ plan: SequencePlan, in directory: DeviceDirectory) {
        let wanted = Set(plan.commands.map(\.device))
        names = Dictionary(
            directory.devices.filter { wanted.contains($0.id) }.map { ($0.id, $0.name) },
            uniquingKeysWith: { first, _ in first })
    }

    /// What a device is called, fit for a terminal; its id where nobody knows.
    subscript(device: DeviceID) -> String {
        names[device].map { $0.isEmpty ? device.description : SafeText.of($0) } ?? device.description
    }
}
