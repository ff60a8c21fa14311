public import FleetProtocol

/// Which devices' rows are not as they were told last.
///
/// Whoever keeps a replica notes each update that it takes; now and then what was noted is told, each device
/// once however often it changed. The set is bounded: beyond ``limit`` devices, or when a node with all its
/// devices comes or goes, it is everything.
public struct ChangedDevices: Equatable, Sendable {
    /// What has changed.
    public enum Extent: Equatable, Sendable {
        /// These devices.
        case devices(Set<DeviceID>)
        /// More than is told one by one.
        case everything
    }

    /// Devices told one by one: about a megabyte as JSON.
    public static let limit = 4_096

    /// What has changed since it was taken last.
    private var extent = Extent.devices([])
    private var gone: Set<DeviceID> = []
    private let limit: Int

    /// Nothing has changed.
    public init(limit: Int = limit) {
        self.limit = limit
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool { extent == .devices([]) && gone.isEmpty }

    /// Notes what an update says.
    public mutating func note(_ update: StreamUpdate.Body) {
        switch update {
        case .beat, .outcome, .group: break
        case .reported(let device, _, _), .connection(let device, _), .settings(let device, _): note(device)
        case .reports(let devices): for reported in devices { note(reported.device) }
        case .measured(let devices): for measured in devices { note(measured.device) }
        case .added(let row):
            gone.remove(row.device)
            note(row.device)
        case .removed(let device): remove(device)
        case .node: noteEverything()
        }
    }

    /// Notes that more than one by one can be told has changed.
    public mutating func noteEverything() {
        extent = .everything
        gone = []
    }

    /// Notes a device.
    public mutating func note(_ device: DeviceID) {
        guard case .devices(var devices) = extent else { return }
        extent = .devices([])
        devices.insert(device)
        extent = devices.count <= limit ? .devices(devices) : .everything
    }

    /// What has changed, and which devices are gone for good; nothing has, from now on.
    public mutating func take() -> (changed: Extent, gone: Set<DeviceID>) {
        defer {
            extent = .devices([])
            gone = []
        }
        return (extent, gone)
    }

    private mutating func remove(_ device: DeviceID) {
        guard case .devices(var devices) = extent else { return }
        extent = .devices([])
        devices.remove(device)
        extent = .devices(devices)
        gone.insert(device)
        if gone.count > limit { noteEverything() }
    }
}
