public import FleetProtocol
public import FleetReplica
public import UserText

public enum PageDevice {
    /// A device as a JSON object; temperatures are in °C, except for the target, which is in its own unit.
    /// Times are in Unix milliseconds. `asOf` is the time of the measurement; without one, the time at which
    /// the controller received the state. A pod of the given records has its ID in Sensibo's API.
    public static func json(
        _ row: ReplicaRow, of replica: Replica, at sites: PageSites = PageSites(),
        with records: PodRecords = .none
    ) -> JSONObject {
        let group = replica.group(of: row)
        let presence = replica.node(of: row).presence(of: row)
        let identity: JSONObject = [
            "id": records[row.device]?.id ?? row.device.description, "name": row.name,
            "site": sites.name(of: row.device, reported: group?.site ?? ""), "model": group?.model.rawValue,
            "node": replica.node(of: row).name?.text,
        ]
        let condition: JSONObject = [
            "presence": presence.kind.name, "presenceReason": presence.reason?.name,
            "since": presence.since.unixMilliseconds, "temperature": row.measured?.measurements.celsius,
            "feelsLike": row.measured?.measurements.feelsLikeCelsius,
            "humidity": row.measured?.measurements.humidityPercent,
            "asOf": (row.measured?.at ?? row.asOf).unixMilliseconds,
        ]
        return identity + members(of: row.reported) + condition
    }

    /// A device's state with its version; the target temperature is in the unit of the state.
    static func members(of reported: DeviceState) -> JSONObject {
        let state = reported.state
        return [
            "on": state.isOn, "mode": state.mode.name, "targetTemperature": state.targetTemperature,
            "unit": state.temperatureUnit.letter, "fanLevel": state.fanLevel.name,
            "incarnation": reported.incarnation.description, "version": reported.version.value,
        ]
    }

    public static func list(
        of replica: Replica, at sites: PageSites = PageSites(), with records: PodRecords = .none
    ) -> JSONObject {
        var devices: [JSONObject] = []
        devices.reserveCapacity(replica.deviceCount)
        replica.forEachRow { devices.append(json($0, of: replica, at: sites, with: records)) }
        return [
            "position": ServerSentEvent.text(of: replica.position), "settling": !replica.isWhole,
            "devices": devices,
        ]
    }
}

public enum PageHistory {
    /// A device's measurements, changes and outcomes of requests as a JSON object, each oldest first. The
    /// object has all that the history has of the device; times are in Unix milliseconds.
    public static func json(of device: DeviceID, in pods: PodHistory, _ ends: RequestEnds) -> JSONObject {
        let samples = pods.samples(of: device, since: WallTime(unixMilliseconds: 0))
        let changes = pods.changes(of: device, limit: PodHistory.changesAtMost).reversed().filter {
            $0.isMade && $0.before != $0.after
        }
        // The state before the first recorded change, at the time of the oldest record or measurement.
        let first = changes.first.flatMap { change in
            change.before.map { state in
                self.change(to: state, at: min(change.at, samples.first?.at ?? change.at), by: nil)
            }
        }
        let later = changes.map { change(to: $0.after, at: $0.at, by: $0.cause) }
        return [
            "measurements": samples.map(measurement), "changes": [first].compactMap { $0 } + later,
            "outcomes": ends.of(device).map { PageOutcome.history($0.report, at: $0.at) },
        ]
    }

    private static func measurement(_ sample: Sample) -> JSONObject {
        [
            "at": sample.at.unixMilliseconds, "temperature": Double(sample.deciCelsius) / 10,
            "humidity": Double(sample.humidityPermille) / 10,
        ]
    }

    private static func change(to state: ACState, at time: WallTime, by cause: ChangeCause?) -> JSONObject {
        [
            "at": time.unixMilliseconds, "on": state.isOn, "mode": state.mode.name,
            "targetTemperature": state.targetTemperature, "cause": cause?.name,
        ]
    }
}

/// The site names of an account's devices, for rows of the page.
public struct PageSites: Sendable {
    private let register: SiteRegister
    private let account: AccountID?

    public init() { (register, account) = (SiteRegister(), nil) }

    public init(_ register: SiteRegister, of account: AccountID) {
        (self.register, self.account) = (register, account)
    }

    /// Returns the name of a device's site: the register's, or `reported`, its node's; empty without either.
    func name(of device: DeviceID, reported: String) -> String {
        account.map { register.place(of: device, reported: reported, in: $0).name } ?? reported
    }
}

extension OffDuty {
    /// The reason why a member may not switch devices now, in sentences for the page.
    public var pageText: String {
        let why =
            switch self {
            case .noRoster: "The account has no roster yet."
            case .noShift: "No one is on duty now."
            case .others: "You’re not on duty."
            }
        return "\(why) Only people on duty and owners can switch devices."
    }
}

extension Refusal {
    /// Why the controller refused a request, as a sentence of the page, without commands of a terminal.
    public var pageText: String {
        switch self {
        case .offline: "The device is offline. Nothing changed."
        case .busy: "Too many requests at once. Wait a moment."
        case .storageFull: "The disk is full. Nothing changed."
        case .unauthenticated: "Your session has ended. Log in again."
        case .notFound: "It doesn’t exist any more. Reload the page."
        case .invalid(let what): Self.sentence(what)
        case .idMismatch: "This request ID belongs to another request. Nothing changed."
        case .idTooOld: "This request is too old to be repeated. Check the device, then try again."
        case .notAllowed(let why): Self.sentence(why)
        case .offDuty(let reason): reason.pageText
        case .moved: "Your account is elsewhere. Log in again."
        }
    }

    /// The controller's words with a capital and a full stop; they may contain text of a client.
    private static func sentence(_ text: String) -> String {
        let safe = SafeText.of(text)
        guard let last = safe.last else { return "The request was not accepted." }
        let first = safe.prefix(1).uppercased() + safe.dropFirst()
        return ".!?".contains(last) ? first : "\(first)."
    }
}
