import FleetClient
import FleetProtocol
import Wording

/// The devices of an account, to be found by what people call them.
struct DeviceDirectory: Sendable {
    /// Which device a text means.
    enum Match: Equatable, Sendable {
        /// Just this one.
        case found(ListedDevice)
        /// Any of these.
        case ambiguous([ListedDevice])
        /// None.
        case none
    }

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

    /// The device that a text means: that id, else that name, else that name in any case, else a part of a
    /// name in any case; the first of these that fits anything decides.
    func match(_ text: String) -> Match {
        if let device = DeviceID(text).flatMap({ id in devices.first { $0.id == id } }) {
            return .found(device)
        }
        let folded = text.lowercased()
        let readings: [(ListedDevice) -> Bool] = [
            { $0.name == text },
            { $0.name.lowercased() == folded },
            { !folded.isEmpty && $0.name.lowercased().contains(folded) },
        ]
        for fits in readings {
            let candidates = devices.filter(fits)
            if candidates.count == 1 { return .found(candidates[0]) }
            if candidates.count > 1 { return .ambiguous(candidates) }
        }
        return .none
    }

    /// The one device that a text means.
    ///
    /// - Throws: `CommandFailure` that lists the candidates (status 64), or says that there is none (77).
    func device(_ text: String) throws(CommandFailure) -> ListedDevice {
        switch match(text) {
        case .found(let device): return device
        case .ambiguous(let candidates): throw Self.ambiguity(text, candidates)
        case .none: throw Self.absence(text)
        }
    }

    /// The devices that texts mean, once each, in the order of the texts.
    ///
    /// - Throws: As ``device(_:)``, for the first text that does not mean just one.
    func uniqueDevices(_ texts: [String]) throws(CommandFailure) -> [ListedDevice] {
        var found: [ListedDevice] = []
        for text in texts {
            let device = try device(text)
            if !found.contains(where: { $0.id == device.id }) { found.append(device) }
        }
        return found
    }

    /// Every device that a filter lets through.
    func filtered(by filter: DeviceFilter) -> [ListedDevice] {
        devices.filter { filter.matches(name: $0.name, id: $0.id) }
    }

    /// Every device that one of the selectors means, once each, in the order of the snapshot.
    ///
    /// A selector is `all`, a pattern in which `*` stands for any characters of a name or id, or what
    /// ``device(_:)`` takes.
    ///
    /// - Throws: `CommandFailure` for a selector that means no device, or an ambiguous name.
    func selected(by selectors: [String]) throws(CommandFailure) -> [ListedDevice] {
        var chosen: Set<DeviceID> = []
        for selector in selectors {
            let meant = try devices(selectedBy: selector)
            guard !meant.isEmpty else { throw Self.absence(selector) }
            chosen.formUnion(meant.map(\.id))
        }
        return devices.filter { chosen.contains($0.id) }
    }

    private func devices(selectedBy selector: String) throws(CommandFailure) -> [ListedDevice] {
        if selector == "all" { return devices }
        guard selector.contains("*") else { return [try device(selector)] }
        let pattern = WildcardPattern(selector)
        return devices.filter { pattern.matches($0.name) || pattern.matches($0.id.description) }
    }

    private static func ambiguity(_ text: String, _ candidates: [ListedDevice]) -> CommandFailure {
        let listed = candidates.prefix(listedCandidates).map { "  \($0.longLabel)" }
        let more = candidates.count - listed.count
        let lines = listed + (more > 0 ? ["  … and \(more) more"] : [])
        return CommandFailure(
            .usage,
            "\(quoted(text)) means \(candidates.count) devices:\n" + lines.joined(separator: "\n"),
            advice: "name one by its id or by more of its name")
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
