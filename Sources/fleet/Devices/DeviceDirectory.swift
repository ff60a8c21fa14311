import FleetClient
import FleetProtocol
import UserText

struct DeviceDirectory: Sendable {
    /// The number of candidates that the error for an ambiguous name lists.
    static let listedCandidates = 10

    /// Every device, in the order of the snapshot.
    let devices: [ListedDevice]

    init(_ devices: [ListedDevice]) { self.devices = devices }

    init(_ snapshot: FleetSnapshot) {
        devices = snapshot.rows.map {
            ListedDevice(
                $0, presence: snapshot.presence(of: $0), group: snapshot.group(of: $0),
                node: snapshot.node(of: $0)?.name)
        }
    }

    /// Returns the one device that a selector selects; the failure is 64 with the candidates, or 77 for none.
    func device(_ text: String) throws(CommandFailure) -> ListedDevice {
        let devices = try devices(selectedBy: text)
        guard devices.count == 1 else { throw Self.ambiguity(text, devices) }
        return devices[0]
    }

    /// Returns the devices to change: each once, in the order of the selectors. A selector without a match
    /// fails with status 77, a part of several names with 64.
    func selected(by selectors: [String]) throws(CommandFailure) -> [ListedDevice] {
        var (chosen, seen) = ([ListedDevice](), Set<DeviceID>())
        for selector in selectors {
            for device in try devices(selectedBy: selector) where seen.insert(device.id).inserted {
                chosen.append(device)
            }
        }
        return chosen
    }

    /// Returns the devices to list or measure: each once, in the order of the snapshot. A part of several
    /// names or IDs selects all of these; without selectors all devices are returned.
    func listed(by selectors: [String]) throws(CommandFailure) -> [ListedDevice] {
        guard !selectors.isEmpty else { return devices }
        var chosen: Set<DeviceID> = []
        for selector in selectors {
            if let condition = try condition(of: selector) {
                chosen.formUnion(devices.filter { condition.holds(of: $0) }.map(\.id))
                continue
            }
            switch DeviceSelector(selector).select(from: devices, partOfSeveral: .selectsAll) {
            case .devices(let found), .ambiguous(let found): chosen.formUnion(found.map(\.id))
            }
        }
        return devices.filter { chosen.contains($0.id) }
    }

    /// Returns the condition that holds for the devices of ``listed(by:)``, now and later; nil for all.
    func condition(for selectors: [String]) throws(CommandFailure) -> Condition? {
        var joined: Condition?
        for selector in selectors {
            let one: Condition =
                if DeviceSelector(selector).names(oneOf: devices) {
                    .device(Condition.DeviceName(selector), nil)
                } else {
                    try condition(of: selector) ?? .selected(by: selector)
                }
            joined = joined.map { .or($0, one) } ?? one
        }
        return joined
    }

    /// Returns the condition that a selector stands for; nil for the name or ID of a device, and for any
    /// other selector that is not a condition. A text that is neither a condition nor a part of a name is
    /// refused as a malformed condition.
    private func condition(of selector: String) throws(CommandFailure) -> Condition? {
        guard !DeviceSelector(selector).names(oneOf: devices) else { return nil }
        do throws(ConditionError) {
            return try .ofSeveralWords(selector)
        } catch {
            let folded = SafeText.folded(selector)
            if devices.contains(where: { SafeText.folded($0.name).contains(folded) }) { return nil }
            throw CommandFailure(
                .usage, "\(Self.quoted(selector)) is neither a device nor a condition: \(error)",
                advice: "`fleet devices` lists the devices; `fleet --help` shows conditions")
        }
    }

    private func devices(selectedBy text: String) throws(CommandFailure) -> [ListedDevice] {
        if let condition = try condition(of: text) {
            let found = devices.filter { condition.holds(of: $0) }
            guard !found.isEmpty else { throw Self.mismatch(text) }
            return found
        }
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
            .usage, "\(quoted(text)) matches \(candidates.count) devices:\n" + lines.joined(separator: "\n"),
            advice: "name one by its ID or its whole name")
    }

    private static func absence(_ text: String) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no device \(quoted(text)) in this account (notFound)",
            advice: "`fleet devices` lists the devices; those of a node that has not connected since the "
                + "controller started are missing (`fleet status` shows the nodes)")
    }

    private static func mismatch(_ condition: String) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no device is \(quoted(condition)) now (notFound)",
            advice: "`fleet devices` lists the devices and their states")
    }

    private static func quoted(_ text: String) -> String { "\"\(SafeText.of(text))\"" }
}

extension DeviceDirectory {
    /// The number of attempts and the pause between them while a controller is settling: 3 s in all.
    private static let looks = 30
    private static let pauseBetweenLooks: Duration = .milliseconds(100)

    /// Searches the account's devices. A controller that is settling after its start may not know every
    /// device yet. The search is then repeated if it found no device.
    static func search<Found>(
        with client: FleetClient, in surroundings: Surroundings,
        _ find: (DeviceDirectory) throws(CommandFailure) -> Found
    ) async throws -> Found {
        for _ in 1..<looks {
            let snapshot = try await client.devices()
            do throws(CommandFailure) {
                return try find(DeviceDirectory(snapshot))
            } catch {
                guard snapshot.isSettling, error.status == .notPermitted else { throw error }
            }
            try await surroundings.pause(pauseBetweenLooks)
        }
        return try find(DeviceDirectory(try await client.devices()))
    }
}

extension ControllerAccess {
    /// Returns the devices to change, as ``DeviceDirectory/selected(by:)`` selects them.
    func devices(selectedBy selectors: [String], with client: FleetClient) async throws -> [ListedDevice] {
        try await DeviceDirectory.search(with: client, in: surroundings) {
            directory throws(CommandFailure) in try directory.selected(by: selectors)
        }
    }
}

extension ListedDevice {
    /// The display name, safe to print on a terminal.
    var label: String { SafeText.label(name, of: id) }

    /// The display name and the ID, for lists in which names may be equal.
    var longLabel: String { "\(label) (\(id))" }
}
