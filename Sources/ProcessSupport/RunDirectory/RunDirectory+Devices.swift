public import FleetProtocol
import FoundationEssentials

/// The changes that users have made to the devices of a fleet, for this start and every later one.
public struct DeviceRegister: Equatable, Sendable {
    /// The maximum number of names, and of removed devices.
    public static let limit = 100_000
    /// The maximum number of devices of one addition.
    private static let addedAtMost = 1_000_000

    /// The names that differ from those of the scenario.
    public var names: [DeviceID: String] = [:]
    /// The devices that no node hosts any more.
    public var removed: Set<DeviceID> = []
    /// The number of devices that the fleet was started with last, without additions; nil before the first.
    public var started: Int?
    /// The numbers of indices that additions took, in their order, by the number in ``started``.
    public var added: [Int: [Int]] = [:]

    /// A register without changes.
    public init() {}

    /// Returns the number of indices, from 0, that a fleet with a number of devices takes; IDs follow from
    /// the seed.
    public func indices(for devices: Int, seed: UInt64) -> Int {
        var end = devices
        for index in removedIndices(seed: seed) where index < end { end += 1 }
        return end
    }

    /// Returns the number of devices that have one of the first indices, and are not removed.
    public func devices(among indices: Int, seed: UInt64) -> Int {
        indices - removedIndices(seed: seed).count { $0 < indices }
    }

    /// The indices of the removed devices, in ascending order.
    private func removedIndices(seed: UInt64) -> [UInt64] {
        let keys = FleetKeys(seed: seed)
        return removed.map { $0.index(in: keys) }.sorted()
    }
}

extension DeviceRegister: Codable {
    private enum CodingKeys: String, CodingKey {
        case names, removed, started, added
    }

    /// Decodes names and removed devices by their IDs.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let names = try container.decode([String: String].self, forKey: .names)
        let removed = try container.decode([String].self, forKey: .removed)
        func device(_ text: String, _ key: CodingKeys) throws -> DeviceID {
            guard let device = DeviceID(text) else { throw container.notAllowed(key) }
            return device
        }
        guard max(names.count, removed.count) <= Self.limit,
            names.values.allSatisfy({ (1...Limits.nameBytes).contains($0.utf8.count) })
        else { throw container.notAllowed(.names) }
        started = try container.decodeIfPresent(Int.self, forKey: .started)
        let added = try container.decodeIfPresent([String: [Int]].self, forKey: .added) ?? [:]
        for (text, counts) in added {
            guard let started = Int(text), counts.allSatisfy((1...Self.addedAtMost).contains) else {
                throw container.notAllowed(.added)
            }
            self.added[started] = counts
        }
        for (text, name) in names { self.names[try device(text, .names)] = name }
        for text in removed { self.removed.insert(try device(text, .removed)) }
    }

    /// Encodes names and removed devices by their IDs.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let texts = names.map { ($0.key.description, $0.value) }
        try container.encode(Dictionary(uniqueKeysWithValues: texts), forKey: .names)
        try container.encodeIfPresent(started, forKey: .started)
        let counts = added.map { ("\($0.key)", $0.value) }
        try container.encode(Dictionary(uniqueKeysWithValues: counts), forKey: .added)
        try container.encode(removed.map(\.description).sorted(), forKey: .removed)
    }
}

extension RunDirectory {
    private static let deviceRegisterBytes = 32 << 20

    /// Reads the register; an empty one without a file.
    public func deviceRegister() throws(RuntimeError) -> DeviceRegister {
        guard let content = try PrivateFile(.devices, in: self).read(upTo: Self.deviceRegisterBytes) else {
            return DeviceRegister()
        }
        do {
            return try JSONDecoder().decode(DeviceRegister.self, from: Data(content))
        } catch {
            throw .damagedRegister(path: RunFile.devices.path(in: self))
        }
    }

    /// Stores the number of devices with which a fleet starts, without additions.
    public func recordStart(devices: Int) throws(RuntimeError) {
        guard try deviceRegister().started != devices else { return }
        try changeDevices { $0.started = devices }
    }

    /// The path of the file with the pods of the fleet; nil without one.
    public var podsFile: String? {
        let path = RunFile.pods.path(in: self)
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Changes the register, which nodes read at once, and at each start. Throws `locked` while another
    /// process changes it, and `fullRegister` beyond ``DeviceRegister/limit``.
    public func changeDevices(_ change: (inout DeviceRegister) -> Void) throws(RuntimeError) {
        let lock = try FileLock(path: lockFile(for: "devices"))
        defer { lock.close() }
        var register = try deviceRegister()
        change(&register)
        guard max(register.names.count, register.removed.count) <= DeviceRegister.limit else {
            throw .fullRegister(limit: DeviceRegister.limit)
        }
        try PrivateFile(.devices, in: self).replace(with: register.jsonLines(.withoutEscapingSlashes))
    }
}
