import FleetProtocol

/// The tables of an account service: one for each account that has changed its own.
protocol AccountTables: Sendable {
    associatedtype Table: AccountTable

    var tables: [AccountIndex: Table] { get set }
}

protocol AccountTable: Sendable {
    init()
}

extension AccountTables {
    /// The table of an account; empty if it was never changed.
    subscript(account: AccountIndex) -> Table {
        get { tables[account] ?? Table() }
        _modify { yield &tables[account, default: Table()] }
    }

    func has(_ account: AccountIndex) -> Bool { tables[account] != nil }
}

/// Values that users have given to devices, such as labels.
struct DeviceTables<Value: Sendable>: AccountTables {
    var tables: [AccountIndex: DeviceTable<Value>] = [:]
}

/// Values that users have given to devices of one account, in the order of the devices.
struct DeviceTable<Value: Sendable>: AccountTable {
    typealias Entry = (device: DeviceID, value: Value)

    private(set) var entries: [Entry] = []

    /// The value of a device; nil if it has none.
    subscript(device: DeviceID) -> Value? {
        get {
            let place = place(of: device)
            return isKnown(device, at: place) ? entries[place].value : nil
        }
        set {
            let place = place(of: device)
            let former = place..<place + (isKnown(device, at: place) ? 1 : 0)
            entries.replaceSubrange(former, with: newValue.map { [(device, $0)] } ?? [])
        }
    }

    /// Gives devices a value; nil removes those that they have. Many devices take one pass over all entries,
    /// a few a search for each.
    mutating func set(_ value: Value?, of devices: Set<DeviceID>) {
        guard devices.count > 16 else {
            for device in devices { self[device] = value }
            return
        }
        entries.removeAll { devices.contains($0.device) }
        guard let value else { return }
        entries += devices.map { ($0, value) }
        entries.sort { $0.device < $1.device }
    }

    /// The entries after a device; nil starts with the first.
    func entries(after device: DeviceID?) -> ArraySlice<Entry> {
        entries[(device.map { device in entries.sortedIndex(after: { $0.device <= device }) } ?? 0)...]
    }

    private func place(of device: DeviceID) -> Int { entries.sortedIndex(after: { $0.device < device }) }

    private func isKnown(_ device: DeviceID, at place: Int) -> Bool {
        place < entries.count && entries[place].device == device
    }
}
