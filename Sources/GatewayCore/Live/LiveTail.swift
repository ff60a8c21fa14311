import FleetProtocol
public import FleetReplica
public import UserText

/// A buffer of the newest live batches, so that a client resumes its stream after a short disconnection.
///
/// Each batch has the changes since the batch before it, up to a position in the stream. A client that names
/// the end of a buffered batch, of the same controller epoch, gets all later batches. Any other client has to
/// fetch a snapshot. The buffer holds ``bytesAtMost`` bytes.
struct LiveTail: Sendable {
    /// The maximum size in bytes: some seconds of a thousand updates a second.
    static let bytesAtMost = 4 << 20

    private struct Batch: Sendable {
        let position: StreamPosition
        let bytes: [UInt8]
    }

    private var batches: [Batch] = []
    private var byteCount = 0
    /// The position before the first batch; nil before the first append.
    private var start: StreamPosition?
    private let bytesAtMost: Int

    init(bytesAtMost: Int = bytesAtMost) { self.bytesAtMost = bytesAtMost }

    /// Appends a batch; one without all changes since the last, or of another epoch, empties the buffer
    /// instead.
    mutating func append(_ bytes: [UInt8], upTo position: StreamPosition, isContinuous: Bool) {
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

    /// Returns the batches after a position; nil if the buffer does not have that position.
    func batches(after position: StreamPosition) -> [[UInt8]]? {
        if position == batches.last?.position ?? start { return [] }
        if position == start { return batches.map(\.bytes) }
        guard let place = batches.lastIndex(where: { $0.position == position }) else { return nil }
        return batches[(place + 1)...].map(\.bytes)
    }
}

public enum ServerSentEvent {
    /// A heartbeat, which shows the page that the connection is open. It is an event, as browsers do not pass
    /// comments to the page.
    public static let heartbeat = Array("event: beat\ndata: {}\n\n".utf8)

    /// Appends a message, whose data is JSON on one line. The position after the message is its ID; nil if a
    /// later message has it.
    public static func append(
        _ name: StaticString, _ data: JSONObject, at position: StreamPosition? = nil, to bytes: inout [UInt8]
    ) {
        if let position { bytes += "id: \(text(of: position))\n".utf8 }
        bytes += "event: \(name)\ndata: ".utf8
        bytes += JSONWriter.bytes(of: data)
        bytes += "\n\n".utf8
    }

    public static func text(of position: StreamPosition) -> String {
        "\(position.epoch.value)-\(position.sequence.value)"
    }

    /// Returns the stream position in a message's ID; nil for other texts.
    public static func position(of text: some StringProtocol) -> StreamPosition? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 40, let epoch = UInt64(parts[0]),
            let sequence = UInt64(parts[1])
        else { return nil }
        return StreamPosition(epoch: Epoch(epoch), sequence: StreamSequence(sequence))
    }
}

/// The devices whose rows have changed since the last batch to listeners.
///
/// The gateway adds the device of each update that it applies to a replica, and empties the set for each
/// batch, so a batch has each device once. The set is bounded: with more than ``limit`` devices, or after an
/// update of a node, it becomes ``Extent/everything``.
struct ChangedDevices: Equatable, Sendable {
    enum Extent: Equatable, Sendable {
        case devices(Set<DeviceID>)
        /// More devices than a batch lists: listeners need all rows.
        case everything
    }

    /// The maximum number of devices in the set: about a megabyte as JSON.
    static let limit = 4_096

    /// The changed devices since the last ``drain()``.
    private var extent = Extent.devices([])
    private var removed: Set<DeviceID> = []
    private let limit: Int

    init(limit: Int = limit) { self.limit = limit }

    /// Whether nothing has changed.
    var isEmpty: Bool { extent == .devices([]) && removed.isEmpty }

    mutating func record(_ update: StreamUpdate.Body) {
        switch update {
        case .beat, .outcome, .group, .service: break
        case .reported(let device, _, _), .connection(let device, _), .settings(let device, _): record(device)
        case .reports(let devices): for reported in devices { record(reported.device) }
        case .measured(let devices): for measured in devices { record(measured.device) }
        case .added(let row):
            removed.remove(row.device)
            record(row.device)
        case .removed(let device): remove(device)
        case .node: recordEverything()
        }
    }

    mutating func recordEverything() {
        extent = .everything
        removed = []
    }

    mutating func record(_ device: DeviceID) {
        guard case .devices(var devices) = extent else { return }
        extent = .devices([])
        devices.insert(device)
        extent = devices.count <= limit ? .devices(devices) : .everything
    }

    /// Returns the changed and the removed devices, and empties the set.
    mutating func drain() -> (changed: Extent, removed: Set<DeviceID>) {
        defer {
            extent = .devices([])
            removed = []
        }
        return (extent, removed)
    }

    private mutating func remove(_ device: DeviceID) {
        guard case .devices(var devices) = extent else { return }
        extent = .devices([])
        devices.remove(device)
        extent = .devices(devices)
        removed.insert(device)
        if removed.count > limit { recordEverything() }
    }
}
