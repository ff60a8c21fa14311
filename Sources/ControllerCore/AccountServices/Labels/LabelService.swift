import FleetProtocol

/// The labels of devices: every user of an account can read them, and members and owners can change them. A
/// record has a device's ID as key and its ``DeviceLabels`` as value.
struct LabelService: AccountService {
    static var ignoresUnreadable: Bool { true }

    private var tables: [AccountIndex: LabelTable] = [:]

    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) throws(WireError) {
        let key = String(decoding: record.key, as: UTF8.self)
        guard let device = DeviceID(key) else { throw .malformed("key", "a device's ID") }
        let labels = try DeviceLabels(wireBytes: record.value ?? []).labels
        if !labels.isEmpty { tables[account, default: LabelTable()][device] = labels }
    }

    func hasData(of account: AccountIndex) -> Bool { tables[account] != nil }

    mutating func handle(
        _ request: LabelRequest, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ServiceResponse<LabelReply> {
        switch request {
        case .list(let device):
            let (devices, isLast) = (tables[context.account] ?? LabelTable()).list(after: device)
            return .reply(.list(devices, isLast: isLast))
        case .set(let wanted):
            let assignment = LabelAssignment(
                devices: Set(wanted.devices).sorted(), labels: Set(wanted.labels).sorted())
            if let refusal = refusal(of: assignment, in: context) { return .refusal(refusal) }
            set(assignment, of: context.account, id: context.accountID, into: &output)
            return .reply(.set(assignment))
        }
    }

    /// Removes the labels of a device that has left the fleet for good.
    mutating func deviceIsRemoved(
        _ device: DeviceID, from account: AccountIndex, id: AccountID, into changes: inout [StorageChange]
    ) {
        var output = ServiceOutput()
        set(LabelAssignment(devices: [device], labels: []), of: account, id: id, into: &output)
        changes += output.changes
    }

    private func refusal(of assignment: LabelAssignment, in context: ServiceContext) -> Refusal? {
        if let refusal = context.changeRefusal { return refusal }
        for device in assignment.devices where context.directory.owner(of: device) != context.account {
            return context.refusal(ofUnnamed: device)
        }
        let table = tables[context.account] ?? LabelTable()
        let new = assignment.labels.isEmpty ? 0 : assignment.devices.count { table[$0].isEmpty }
        let share = context.share(in: .labels)
        guard new == 0 || table.count + new <= share else {
            return .invalid("the account can label at most \(share) devices, and \(table.count) have labels")
        }
        return nil
    }

    /// Sets the labels of the devices whose labels differ.
    private mutating func set(
        _ assignment: LabelAssignment, of account: AccountIndex, id: AccountID,
        into output: inout ServiceOutput
    ) {
        let changed = assignment.devices.filter { (tables[account]?[$0] ?? []) != assignment.labels }
        guard !changed.isEmpty else { return }
        var table = tables.removeValue(forKey: account) ?? LabelTable()
        for device in changed {
            table[device] = assignment.labels
            let value = DeviceLabels(labels: assignment.labels).wireBytes
            output.changes.append(
                .service(
                    ServiceRecord(
                        service: LabelRequest.service, account: id, key: Array(device.description.utf8),
                        value: assignment.labels.isEmpty ? nil : value)))
        }
        if table.count > 0 { tables[account] = table }
        for start in stride(from: 0, to: changed.count, by: Limits.labelUpdateDevices) {
            let part = Array(changed[start...].prefix(Limits.labelUpdateDevices))
            let update = LabelUpdate.set(LabelAssignment(devices: part, labels: assignment.labels))
            output.publish(update, of: LabelRequest.service)
        }
    }
}

private struct LabelTable: Sendable {
    private var labels: [DeviceID: [Label]] = [:]
    private var devices: [DeviceID] = []

    var count: Int { devices.count }

    subscript(device: DeviceID) -> [Label] {
        get { labels[device] ?? [] }
        set {
            let place = devices.sortedIndex(after: { $0 < device })
            switch (labels.updateValue(newValue, forKey: device), newValue.isEmpty) {
            case (nil, false): devices.insert(device, at: place)
            case (nil, true): labels[device] = nil
            case (_?, true):
                labels[device] = nil
                devices.remove(at: place)
            case (_?, false): break
            }
        }
    }

    /// A page of the devices with labels, after the given device; nil starts with the first.
    func list(after device: DeviceID?) -> ([LabelledDevice], isLast: Bool) {
        let start = device.map { device in devices.sortedIndex(after: { $0 <= device }) } ?? 0
        let chunk = devices[start...].prefix(Limits.chunkLabelledDevices)
        let list = chunk.map { LabelledDevice(device: $0, labels: self[$0]) }
        return (list, chunk.endIndex == devices.endIndex)
    }
}

extension Quota {
    static let labels = Quota(
        account: Limits.accountLabelledDevices, all: Limits.allLabelledDevices, withoutDevices: 0)
}
