import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

enum LoadDevices {
    /// Finds the selected devices; offline ones are included, and their toggles are refused.
    static func find(
        _ selectors: [String], with client: FleetClient, in surroundings: Surroundings
    ) async throws -> [ListedDevice] {
        let devices = try await DeviceDirectory.search(with: client, in: surroundings) {
            directory throws(CommandFailure) in
            let devices = try directory.listed(by: selectors)
            guard devices.isEmpty else { return devices }
            let what = selectors.first.map { "no device \"\(SafeText.of($0))\"" } ?? "no device"
            throw CommandFailure(
                .notPermitted, "\(what) in this account (notFound)",
                advice: "list the devices with `fleet devices`")
        }
        let offline = devices.count { $0.presence.reason != nil }
        if offline > 0 {
            surroundings.notify(
                "fleet: offline: \(offline) of \(devices.count) devices; their toggles are refused")
        }
        return devices
    }
}

extension ControllerAccess {
    /// This access, if the key of this machine permits a load, as that of an observer does not.
    func allowingLoad() throws(CommandFailure) -> ControllerAccess {
        guard connection.membership?.rights.role != .observer else {
            throw CommandFailure(
                .notPermitted, "the key of this machine is an observer's, which changes nothing",
                advice: "join as a client, in another run directory")
        }
        return self
    }
}
