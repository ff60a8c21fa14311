public import FleetProtocol

/// A pod of a file: an answer of Sensibo's API, which a fleet begins with and serves again. A class, because
/// each value of a list of pods has one.
public final class PodRecord: Sendable {
    /// The value of identifying keys in files of Home Assistant's diagnostics.
    public static let redacted = JSONTree.string("**REDACTED**")

    /// The place in the file.
    public let place: Int
    /// The ID in the API; nil for that of the device, because it is redacted.
    public let id: String?
    /// What the fleet simulates of it.
    public let pod: InitialPod
    /// The keys of the pod object. Redacted ones have ``redacted`` and are those of a simulated pod.
    public let fields: [JSONTree.Member]
    /// The places of its simulated schedules in the list of its fields.
    public let schedules: [ScheduleID: Int]

    public init(
        place: Int = 0, id: String?, pod: InitialPod, fields: [JSONTree.Member],
        schedules: [ScheduleID: Int] = [:]
    ) {
        self.place = place
        (self.id, self.pod, self.fields, self.schedules) = (id, pod, fields, schedules)
    }

    /// Whether the pod or its sensor has measured a value of the room.
    public func reports(_ key: String) -> Bool {
        let sensors = self["motionSensors"]?.items ?? []
        return ([self["measurements"]] + sensors.map { $0["measurements"] }).contains { $0?[key] != nil }
    }

    /// The value of a key; nil without it.
    public subscript(key: String) -> JSONTree? { fields.first { $0.key == key }?.value }
}

/// The pods of a file by the devices that they are, and by their IDs in the API.
public struct PodRecords: Sendable {
    public static let none = PodRecords([], seed: 0)

    private let records: [DeviceID: PodRecord]
    private let devices: [String: DeviceID]

    /// The first devices of the fleet of a seed.
    public init(_ list: [PodRecord], seed: UInt64) {
        let ids = list.indices.map { DeviceID(fleetSeed: seed, index: UInt64($0)) }
        records = Dictionary(uniqueKeysWithValues: zip(ids, list))
        let named = zip(list, ids).map { ($0.id ?? $1.description, $1) }
        devices = Dictionary(named) { first, _ in first }
    }

    public var isEmpty: Bool { records.isEmpty }

    public subscript(device: DeviceID) -> PodRecord? { records.isEmpty ? nil : records[device] }

    /// Returns the device with an ID in the API.
    public func device(_ id: String) -> DeviceID? { devices[id] ?? DeviceID(id) }
}

extension TimeText {
    /// Parses a time of Sensibo's API: UTC, with or without `Z`, and with any number of decimals.
    public static func moment(ofAPI text: String) -> WallTime? {
        let parts = text.dropLast(text.hasSuffix("Z") ? 1 : 0).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let seconds = parts.first else { return nil }
        return moment(iso8601: "\(seconds).\("\(parts.dropFirst().first ?? "")000".prefix(3))Z")
    }
}
