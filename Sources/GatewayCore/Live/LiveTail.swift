public import FleetProtocol
public import FleetReplica
public import Wording

/// The last of what was told live, so that whoever was away for a moment goes on where they were.
///
/// Each batch says what changed after the one before it, up to a place in the stream. Whoever names a place
/// at which a batch ended, in the same life of the controller, gets all that came after; anybody else has to
/// fetch the whole. It holds ``bytesAtMost`` bytes.
public struct LiveTail: Sendable {
    /// Bytes that are held: some seconds of a thousand updates a second.
    public static let bytesAtMost = 4 << 20

    private struct Batch: Sendable {
        let position: StreamPosition
        let bytes: [UInt8]
    }

    private var batches: [Batch] = []
    private var byteCount = 0
    /// The place before the first batch; nil while nobody knows what came before.
    private var start: StreamPosition?
    private let bytesAtMost: Int

    /// A tail that goes back no further than the next batch.
    public init(bytesAtMost: Int = bytesAtMost) {
        self.bytesAtMost = bytesAtMost
    }

    /// Takes what was told up to a place.
    ///
    /// - Parameter isContinuous: Whether it says all that changed since the batch before.
    public mutating func append(_ bytes: [UInt8], upTo position: StreamPosition, isContinuous: Bool) {
        let last = batches.last?.position ?? start
        if !isContinuous || last?.epoch != position.epoch {
            batches = []
            byteCount = 0
            start = position
            return
        }
        batches.append(Batch(position: position, bytes: bytes))
        byteCount += bytes.count
        while byteCount > bytesAtMost, let first = batches.first {
            byteCount -= first.bytes.count
            start = first.position
            batches.removeFirst()
        }
    }

    /// What was told after a place; nil when that cannot be said.
    public func batches(after position: StreamPosition) -> [[UInt8]]? {
        if position == batches.last?.position ?? start { return [] }
        if position == start { return batches.map(\.bytes) }
        guard let place = batches.lastIndex(where: { $0.position == position }) else { return nil }
        return batches[(place + 1)...].map(\.bytes)
    }
}

/// A message of an event stream, as browsers read it (HTML, section 9.2).
public enum ServerSentEvent {
    /// A message that says nothing but that the connection lives.
    ///
    /// A comment would not do: browsers keep those from the page.
    public static let heartbeat = Array("event: beat\ndata: {}\n\n".utf8)

    /// Appends a message.
    ///
    /// - Parameters:
    ///   - name: What kind of event.
    ///   - data: What it says, which JSON puts on one line.
    ///   - position: Where in the stream one who has taken it is; nil where that is told by a later message.
    public static func append(
        _ name: StaticString, _ data: JSONValue, at position: StreamPosition? = nil, to bytes: inout [UInt8]
    ) {
        if let position { bytes += "id: \(text(of: position))\n".utf8 }
        bytes += "event: \(name)\ndata: ".utf8
        data.append(to: &bytes)
        bytes += "\n\n".utf8
    }

    /// A place in the stream, as a message's id.
    public static func text(of position: StreamPosition) -> String {
        "\(position.epoch.value)-\(position.sequence.value)"
    }

    /// The place that an id names; nil where it names none.
    public static func position(of text: some StringProtocol) -> StreamPosition? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 40, let epoch = UInt64(parts[0]),
            let sequence = UInt64(parts[1])
        else { return nil }
        return StreamPosition(epoch: Epoch(epoch), sequence: StreamSequence(sequence))
    }
}

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
