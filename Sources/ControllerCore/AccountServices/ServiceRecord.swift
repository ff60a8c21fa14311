public import FleetProtocol

/// A record of an account service, which the store has in a table that all services share. A service defines
/// the content of its keys and values. Values are messages of its .proto file, so that later versions can add
/// fields.
public struct ServiceRecord: Sendable, Equatable {
    public let service: ServiceName
    public let account: AccountID
    /// The key, unique among the records of the service and the account.
    public let key: [UInt8]
    /// The value; nil removes the record.
    public let value: [UInt8]?

    /// Creates a record from its fields.
    public init(service: ServiceName, account: AccountID, key: [UInt8], value: [UInt8]?) {
        (self.service, self.account, self.key, self.value) = (service, account, key, value)
    }

    /// Creates the record of a device, whose ID is the key.
    init(service: ServiceName, account: AccountID, device: DeviceID, value: [UInt8]?) {
        self.init(service: service, account: account, key: Array(device.description.utf8), value: value)
    }

    /// The device whose ID is the key; nil if the key is none.
    package var device: DeviceID? { DeviceID(String(decoding: key, as: UTF8.self)) }

    public init<Content: RecordContent>(_ content: Content, of account: AccountID) {
        self.init(
            service: Content.service, account: account, key: content.key.bytes, value: content.wireBytes)
    }
}

public protocol RecordContent: WireMessage {
    associatedtype Request: ServiceRequest
    /// The key, unique among the records of an account.
    var key: RecordKey { get }
}

extension RecordContent {
    public static var service: ServiceName { Request.service }

    /// The content of a stored record; throws also for a key that another content has.
    init(_ record: ServiceRecord) throws(WireError) {
        self = try Self(wireBytes: record.value ?? [])
        guard key.bytes == record.key else { throw .malformed("key", "that of the content") }
    }
}

/// The key of a stored record: the kind of the record, and what identifies it among those of its kind.
/// Records are restored in the order of their keys.
public struct RecordKey: Hashable, Sendable {
    package let bytes: [UInt8]

    static func only(_ kind: UInt8) -> RecordKey { RecordKey(bytes: [kind]) }

    static func text(_ kind: UInt8, _ text: String) -> RecordKey { RecordKey(bytes: [kind] + text.utf8) }

    static func number(_ kind: UInt8, _ number: UInt64) -> RecordKey {
        RecordKey(bytes: [kind] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
}

extension [StorageChange] {
    /// Stores a record in place of the one with the same key.
    mutating func store(_ content: some RecordContent, of account: AccountID) {
        append(.service(ServiceRecord(content, of: account)))
    }

    mutating func remove<Content: RecordContent>(
        _ type: Content.Type, at key: RecordKey, of account: AccountID
    ) {
        append(
            .service(ServiceRecord(service: Content.service, account: account, key: key.bytes, value: nil)))
    }
}

extension [ServiceRecord] {
    /// Stores a change among records in the order of services, accounts and keys, as the store does.
    package mutating func apply(_ change: ServiceRecord) {
        let place = sortedIndex { $0.isOrdered(before: change) }
        let isKnown = place < count && !change.isOrdered(before: self[place])
        replaceSubrange(place..<place + (isKnown ? 1 : 0), with: change.value == nil ? [] : [change])
    }
}

extension ServiceRecord {
    fileprivate func isOrdered(before other: ServiceRecord) -> Bool {
        guard service == other.service else { return service.text < other.service.text }
        guard account == other.account else { return account < other.account }
        return key.lexicographicallyPrecedes(other.key)
    }
}
