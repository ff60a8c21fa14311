/// An index from device IDs to the slots of a table, for millions of devices.
///
/// It is a hash table with open addressing, in parts that grow independently, so that no step is delayed:
/// moving a table of a million keys takes a tenth of a second. The IDs are stored in the caller's table, and
/// the caller passes a function that reads them; the index takes 5 to 11 bytes for each device.
public struct DeviceIndex: Sendable {
    /// A slot, and some bits of the hash of its device, in four bytes; 0 for a free entry. The bits
    /// distinguish most other devices in a probe sequence without a look at their IDs.
    private struct Entry: Sendable {
        private static let slotBits: UInt32 = 22

        private let bits: UInt32

        static let none = Entry(bits: 0)

        private init(bits: UInt32) { self.bits = bits }
        init(slot: Int, hash: UInt64) { bits = UInt32(truncatingIfNeeded: slot + 1) | Self.tag(hash) }
        var isNone: Bool { bits == 0 }
        var slot: Int { Int(bits & (1 << Self.slotBits - 1)) - 1 }
        func mayBe(_ hash: UInt64) -> Bool { bits >> Self.slotBits == Self.tag(hash) >> Self.slotBits }

        private static func tag(_ hash: UInt64) -> UInt32 {
            UInt32(truncatingIfNeeded: hash >> 32) << slotBits
        }
    }

    /// The entries of some devices, each at the position of its hash or the next free one.
    private struct Part: Sendable {
        /// The entries: none, or a power of two of which a quarter is free.
        var entries: [Entry]
        /// The number of entries less one; stored here, because the entries are far away in memory.
        let mask: UInt32
        var count: UInt32

        init(entries: [Entry] = [], count: UInt32 = 0) {
            self.entries = entries
            mask = entries.isEmpty ? 0 : UInt32(entries.count - 1)
            self.count = count
        }

        /// Whether the part must grow before the next insertion.
        var isFull: Bool { 4 * (count + 1) > 3 * (mask + 1) }
    }

    /// The number of slots; valid slots are below.
    public static let slotsAtMost = 1 << 22 - 1
    /// The number of parts; a power of two.
    private static let partCount = 1 << 10
    /// The number of devices in one part: moving them takes a tenth of a millisecond, and the index of a
    /// small fleet is in one piece of memory.
    private static let undividedCount: UInt32 = 4_096
    private static let fewestEntries = 8

    private var parts = [Part()]
    /// The hash key, which differs in each process, so that no one can choose IDs that collide.
    private let key = UInt64(truncatingIfNeeded: 0.hashValue)

    /// An empty index.
    public init() {}

    /// Returns the slot of a device; nil if the index does not have it.
    ///
    /// - Parameters:
    ///   - device: The device to look up.
    ///   - id: Returns the ID of the device at a slot.
    public func slot(of device: DeviceID, _ id: (Int) -> DeviceID) -> Int? {
        let hash = hash(of: device)
        let part = part(of: hash)
        return place(of: device, hash, id).map { parts[part].entries[$0].slot }
    }

    /// Inserts a device that the index does not have.
    ///
    /// - Parameters:
    ///   - device: The device, which the index does not have.
    ///   - id: Returns the ID of the device at a slot, for the devices in the index.
    /// - Precondition: The slot is below ``slotsAtMost``.
    public mutating func insert(_ device: DeviceID, at slot: Int, _ id: (Int) -> DeviceID) {
        precondition(slot < Self.slotsAtMost, "slot \(slot) is out of range")
        let hash = hash(of: device)
        let part = makeRoom(hash, id)
        Self.put(Entry(slot: slot, hash: hash), hash, into: &parts[part].entries)
        parts[part].count += 1
    }

    /// Returns the slot of a device; inserts a missing device, and returns nil.
    ///
    /// - Parameters:
    ///   - device: The device to look up.
    ///   - slot: The slot for a missing device.
    ///   - id: Returns the ID of the device at a slot, for the devices in the index.
    /// - Precondition: The slot is below ``slotsAtMost``.
    public mutating func slot(of device: DeviceID, orInsertAt slot: Int, _ id: (Int) -> DeviceID) -> Int? {
        precondition(slot < Self.slotsAtMost, "slot \(slot) is out of range")
        let hash = hash(of: device)
        let part = makeRoom(hash, id)
        let mask = Int(parts[part].mask)
        var place = Int(truncatingIfNeeded: hash) & mask
        while true {
            let entry = parts[part].entries[place]
            if entry.isNone { break }
            if entry.mayBe(hash), id(entry.slot) == device { return entry.slot }
            place = (place + 1) & mask
        }
        parts[part].entries[place] = Entry(slot: slot, hash: hash)
        parts[part].count += 1
        return nil
    }

    /// Reserves space for a number of devices, at most for all slots, so that few parts grow during their
    /// insertion.
    ///
    /// - Parameters:
    ///   - count: The number of devices.
    ///   - id: Returns the ID of the device at a slot, for the devices in the index.
    public mutating func reserve(_ count: Int, _ id: (Int) -> DeviceID) {
        if count > Self.undividedCount { divide(id) }
        let mean = Double(min(count, Self.slotsAtMost)) / Double(parts.count)
        // Two percent of the parts exceed the mean by more than two standard deviations.
        let entries = Int((mean + 2 * mean.squareRoot()) * 4 / 3)
        var size = Self.fewestEntries
        while size < entries { size *= 2 }
        for part in parts.indices where parts[part].entries.count < size { grow(part, to: size, id) }
    }

    /// Removes a device.
    ///
    /// Entries after it move up, so that none is separated from the position of its hash.
    public mutating func remove(_ device: DeviceID, _ id: (Int) -> DeviceID) {
        let hash = hash(of: device)
        let part = part(of: hash)
        guard var gap = place(of: device, hash, id) else { return }
        let mask = Int(parts[part].mask)
        parts[part].entries[gap] = .none
        parts[part].count -= 1
        var place = (gap + 1) & mask
        while !parts[part].entries[place].isNone {
            let entry = parts[part].entries[place]
            let home = Int(truncatingIfNeeded: self.hash(of: id(entry.slot))) & mask
            if (place - home) & mask >= (place - gap) & mask {
                parts[part].entries[gap] = entry
                parts[part].entries[place] = .none
                gap = place
            }
            place = (place + 1) & mask
        }
    }

    private func place(of device: DeviceID, _ hash: UInt64, _ id: (Int) -> DeviceID) -> Int? {
        let part = part(of: hash)
        let mask = Int(parts[part].mask)
        guard mask > 0 else { return nil }
        var place = Int(truncatingIfNeeded: hash) & mask
        while true {
            let entry = parts[part].entries[place]
            if entry.isNone { return nil }
            if entry.mayBe(hash), id(entry.slot) == device { return place }
            place = (place + 1) & mask
        }
    }

    /// Returns the part for a device, with space for it.
    private mutating func makeRoom(_ hash: UInt64, _ id: (Int) -> DeviceID) -> Int {
        if parts.count == 1, parts[0].count == Self.undividedCount { divide(id) }
        let part = part(of: hash)
        if parts[part].isFull { grow(part, to: max(Self.fewestEntries, 2 * parts[part].entries.count), id) }
        return part
    }

    private mutating func divide(_ id: (Int) -> DeviceID) {
        guard parts.count == 1 else { return }
        let undivided = parts[0].entries
        parts = [Part](repeating: Part(), count: Self.partCount)
        for entry in undivided where !entry.isNone {
            let hash = hash(of: id(entry.slot))
            let part = makeRoom(hash, id)
            Self.put(entry, hash, into: &parts[part].entries)
            parts[part].count += 1
        }
    }

    private mutating func grow(_ part: Int, to size: Int, _ id: (Int) -> DeviceID) {
        let old = parts[part].entries
        var entries = [Entry](repeating: .none, count: size)
        for entry in old where !entry.isNone { Self.put(entry, hash(of: id(entry.slot)), into: &entries) }
        parts[part] = Part(entries: entries, count: parts[part].count)
    }

    private static func put(_ entry: Entry, _ hash: UInt64, into entries: inout [Entry]) {
        let mask = entries.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while !entries[place].isNone { place = (place + 1) & mask }
        entries[place] = entry
    }

    private func hash(of device: DeviceID) -> UInt64 { SeededGenerator.mixed(device.bits ^ key) }

    /// Returns the part of a hash, from its highest bits: the parts themselves use the lowest.
    private func part(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 54) & (parts.count - 1) }
}
