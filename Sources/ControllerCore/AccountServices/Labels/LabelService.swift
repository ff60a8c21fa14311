import FleetProtocol

/// The labels of devices: every user of an account can read them, and members and owners can change them. A
/// record has a device's ID as key and its ``DeviceLabels`` as value.
struct LabelService: AccountService {
    static var ignoresUnreadable: Bool { true }

    private var labels = DeviceTables<[Label]>()

    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) throws(WireError) {
        guard let device = record.device else { throw .malformed("key", "a device's ID") }
        let stored = try DeviceLabels(wireBytes: record.value ?? []).labels
        if !stored.isEmpty { labels[account][device] = stored }
    }

    func hasData(of account: AccountIndex) -> Bool { !labels[account].entries.isEmpty }

    mutating func handle(
        _ request: LabelRequest, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ServiceResponse<LabelReply> {
        switch request {
        case .list(let device):
            let rest = labels[context.account].entries(after: device)
            let chunk = rest.prefix(Limits.chunkLabelledDevices)
            let devices = chunk.map { LabelledDevice(device: $0.device, labels: $0.value) }
            return .reply(.list(devices, isLast: chunk.count == rest.count))
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
        if let refusal = context.changeRefusal(of: assignment.devices) { return refusal }
        let (table, share) = (labels[context.account], context.share(in: .labels))
        let new = assignment.labels.isEmpty ? 0 : assignment.devices.count { table[$0] == nil }
        guard new == 0 || table.entries.count + new <= share else {
            let count = table.entries.count
            return .invalid("the account can label at most \(share) devices, and \(count) have labels")
        }
        return nil
    }

    /// Sets the labels of the devices whose labels differ.
    private mutating func set(
        _ assignment: LabelAssignment, of account: AccountIndex, id: AccountID,
        into output: inout ServiceOutput
    ) {
        let changed = assignment.devices.filter { (labels[account][$0] ?? []) != assignment.labels }
        guard !changed.isEmpty else { return }
        let new = assignment.labels.isEmpty ? nil : assignment.labels
        labels[account].set(new, of: Set(changed))
        let value = new.map { DeviceLabels(labels: $0).wireBytes }
        output.changes += changed.map {
            .service(ServiceRecord(service: Self.name, account: id, device: $0, value: value))
        }
        for start in stride(from: 0, to: changed.count, by: Limits.labelUpdateDevices) {
            let part = Array(changed[start...].prefix(Limits.labelUpdateDevices))
            let update = LabelUpdate.set(LabelAssignment(devices: part, labels: assignment.labels))
            output.publish(update, of: Self.name)
        }
    }
}

extension Quota {
    static let labels = Quota(
        account: Limits.accountLabelledDevices, all: Limits.allLabelledDevices, withoutDevices: 0)
}
