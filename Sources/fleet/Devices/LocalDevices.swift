import ArgumentParser
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import UserText

/// The devices of a fleet that nodes of this machine host, and the register of their changes.
struct LocalDevices: Sendable {
    let access: ControllerAccess

    /// Refuses a name that is too long, or has invisible characters.
    static func checkName(_ name: String) throws {
        try require(
            (1...Limits.nameBytes).contains(name.utf8.count),
            "a name has 1 to \(Limits.nameBytes) bytes, and this one \(name.utf8.count)")
        if let problem = SafeText.problem(in: name) { throw ValidationError("name: \(problem)") }
    }

    func refuseDuplicate(
        _ name: String, of device: DeviceID? = nil, in directory: DeviceDirectory
    ) throws(CommandFailure) {
        let folded = SafeText.folded(name)
        let other = directory.devices.first { $0.id != device && SafeText.folded($0.name) == folded }
        guard let other else { return }
        throw CommandFailure(
            .usage, "\(other.longLabel) has that name already", advice: "choose another name")
    }

    /// Checks that the user may change which devices the fleet has.
    func checkPermission(of client: FleetClient) async throws {
        // An empty retirement changes nothing.
        _ = try await client.retire([])
    }

    /// Checks that nodes of this run directory host the devices.
    func check(_ devices: [ListedDevice]) throws(CommandFailure) {
        for device in devices {
            let lock = device.node.map { access.directory.lockFile(for: $0.text) }
            if let lock, Glibc.access(lock, F_OK) == 0 { continue }
            let node = device.node.map { "node \($0)" } ?? "a node"
            throw CommandFailure(
                .refused,
                "\(device.longLabel) is a device of \(node), which does not run in this run directory",
                advice: "only devices of this machine can be renamed or removed")
        }
    }
}
