import FleetProtocol
import FleetReplica
import UserText

/// Lists the devices of a replica, and then reports their changes: `fleet devices --watch`. A change of the
/// state, the presence, the place or the settings has a line. Measurements have none, unless a device
/// satisfies the condition because of them, or no longer does.
struct DeviceChanges: FleetReader {
    let query: DeviceQuery
    let labels: [DeviceID: [Label]]
    private var writer: DeviceWriter
    /// The devices in the list as last written; nil before the list was written.
    private var listed: [DeviceID: ListedDevice]?
    private var condition: Condition?

    init(_ query: DeviceQuery, as format: DeviceFormat, _ csv: CSVText, labels: [DeviceID: [Label]]) {
        (self.query, self.labels) = (query, labels)
        writer = DeviceWriter(format, csv, isWatched: true)
    }

    mutating func read(_ event: FleetEvent, of replica: Replica, into results: inout [FleetReading]) {
        guard listed != nil else {
            if case .resync = event.body { list(replica, into: &results) }
            return
        }
        switch event.body {
        case .reported(let reported): report(reported.device.id, of: replica, into: &results)
        case .presence(let device, _), .added(let device), .settings(let device, _):
            report(device.id, of: replica, into: &results)
        case .removed(let device): remove(device.id, into: &results)
        case .node(let change):
            replica.forEachRow(ofNode: change.node) { report($0, of: replica, into: &results) }
        case .measured(let devices):
            for device in devices { report(device.device, of: replica, ifMoved: true, into: &results) }
        case .stale(let reason): results.append(.remark("changes may be missing: \(reason.text)"))
        case .resync: results.append(.remark("up to date again"))
        case .outcome, .connection, .service: break
        }
    }

    mutating func tick(_ replica: Replica, into results: inout [FleetReading]) {}

    private mutating func list(_ replica: Replica, into results: inout [FleetReading]) {
        var all: [ListedDevice] = []
        replica.forEachRow { all.append(ListedDevice($0, of: replica)) }
        do throws(CommandFailure) {
            let directory = DeviceDirectory(all)
            condition = try query.condition(in: directory)
            let devices = condition.map { condition in directory.devices.filter { condition.holds(of: $0) } }
            let lines = query.sorted((devices ?? directory.devices).map { line(of: $0, .listed) })
            listed = Dictionary(lines.map { ($0.device.id, $0.device) }) { _, later in later }
            results += writer.lines(of: lines).map(FleetReading.line)
        } catch {
            results.append(.end(error))
        }
    }

    private mutating func report(
        _ id: DeviceID, of replica: Replica, ifMoved: Bool = false, into results: inout [FleetReading]
    ) {
        if let row = replica.row(of: id) { report(row, of: replica, ifMoved: ifMoved, into: &results) }
    }

    /// Reports a device that is in the list, or was in it until now.
    private mutating func report(
        _ row: ReplicaRow, of replica: Replica, ifMoved: Bool = false, into results: inout [FleetReading]
    ) {
        let device = ListedDevice(row, of: replica)
        let wasListed = listed?[device.id] != nil
        let isListed = condition?.holds(of: device) ?? true
        guard wasListed != isListed || (isListed && !ifMoved) else { return }
        listed?[device.id] = isListed ? device : nil
        let change: DeviceLine.Change = !isListed ? .removed : wasListed ? .changed : .added
        results.append(.line(writer.line(of: line(of: device, change))))
    }

    /// Reports a device that has left the fleet, as it was last written.
    private mutating func remove(_ id: DeviceID, into results: inout [FleetReading]) {
        guard let device = listed?.removeValue(forKey: id) else { return }
        results.append(.line(writer.line(of: line(of: device, .removed))))
    }

    private func line(of device: ListedDevice, _ change: DeviceLine.Change) -> DeviceLine {
        DeviceLine(device: device, labels: labels[device.id] ?? [], change: change)
    }
}
