import FleetClient
import FleetProtocol
import Wording

/// The devices of an account, which selectors select.
struct DeviceDirectory: Sendable {
    /// How many candidates an ambiguous name lists.
    static let listedCandidates = 10

    /// Every device, in the order of the snapshot.
    let devices: [ListedDevice]

    /// A directory of those devices.
    init(_ devices: [ListedDevice]) {
        self.devices = devices
    }

    /// A directory of the devices of a snapshot.
    init(_ snapshot: FleetSnapshot) {
        devices = snapshot.rows.map { row in
            ListedDevice(
                id: row.device, name: row.name, reported: row.reported, presence: snapshot.presence(of: row),
                asOf: row.asOf, group: snapshot.group(of: row), measured: row.measured,
                cause: row.cause, settings: row.settings)
        }
    }

    /// Returns the one device that a selector selects.
    ///
    /// - Throws: `CommandFailure` that lists the candidates (status 64), or says that there is none (77).
    func device(_ text: String) throws(CommandFailure) -> ListedDevice {
        let devices = try devices(selectedBy: text)
        guard devices.count == 1 else { throw Self.ambiguity(text, devices) }
        return devices[0]
    }

    /// Returns the devices to change: each once, in the order of the selectors.
    ///
    /// - Throws: `CommandFailure` for a selector that fits no device (status 77), and for a part of several
    ///   names (64).
    func selected(by selectors: [String]) throws(CommandFailure) -> [ListedDevice] {
        var (chosen, seen) = ([ListedDevice](), Set<DeviceID>())
        for selector in selectors {
            for device in try devices(selectedBy: selector) where seen.insert(device.id).inserted {
                chosen.append(device)
            }
        }
        return chosen
    }

    /// Returns the devices to list or measure: each once, in the order of the snapshot.
    ///
    /// A part of several names or IDs selects all of these; without selectors all devices are returned.
    func listed(by selectors: [String]) -> [ListedDevice] {
        guard !selectors.isEmpty else { return devices }
        var chosen: Set<DeviceID> = []
        for selector in selectors {
            switch DeviceSelector(selector).select(from: devices, partOfSeveral: .selectsAll) {
            case .devices(let found), .ambiguous(let found): chosen.formUnion(found.map(\.id))
            }
        }
        return devices.filter { chosen.contains($0.id) }
    }

    private func devices(selectedBy text: String) throws(CommandFailure) -> [ListedDevice] {
        switch DeviceSelector(text).select(from: devices, partOfSeveral: .isAmbiguous) {
        case .devices(let found):
            guard !found.isEmpty else { throw Self.absence(text) }
            return found
        case .ambiguous(let candidates): throw Self.ambiguity(text, candidates)
        }
    }

    private static func ambiguity(_ text: String, _ candidates: [ListedDevice]) -> CommandFailure {
        let listed = candidates.prefix(listedCandidates).map { "  \($0.longLabel)" }
        let more = candidates.count - listed.count
        let lines = listed + (more > 0 ? ["  … and \(more) more"] : [])
        return CommandFailure(
            .usage,
            "\(quoted(text)) means \(candidates.count) devices:\n" + lines.joined(separator: "\n"),
            advice: "name one by its ID or its whole name")
    }

    private static func absence(_ text: String) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no device \(quoted(text)) in this account (notFound)",
            advice: "`fleet devices` lists those there are, but for nodes away since the controller started: "
                + "`fleet status` counts them")
    }

    private static func quoted(_ text: String) -> String {
        "\"\(SafeText.of(text))\""
    }
}
