public import FleetProtocol

/// Makes a node's memory into bytes for a file. Whoever has put everything in calls ``endFrame()`` and writes
/// ``bytes``. Its room is kept, so that it allocates nothing once it has held as much as it is to hold.
public struct MemoryWriter: Sendable {
    private var output = RecordWriter()
    private var frame = RecordWriter()
    private var content: MemoryFormat.Content?

    /// A writer that holds nothing.
    public init() {}

    /// The start of a file.
    public static func header(_ origin: MemoryOrigin = MemoryOrigin()) -> [UInt8] {
        MemoryFormat.header(origin)
    }

    /// The frames that have ended.
    public var bytes: [UInt8] { output.bytes }

    /// Forgets everything, and keeps its room.
    public mutating func removeAll() {
        output.removeAll()
        frame.removeAll()
        content = nil
    }

    /// Appends what happened to a device.
    public mutating func put(_ entry: MemoryEntry) {
        begin(.entries)
        frame.put(entry)
        endFullFrame()
    }

    /// Appends all that a device remembers; what comes after for that device happened after.
    public mutating func put(_ memory: DeviceMemory, of device: DeviceID) {
        begin(memory.isUntouched ? .births : .memories)
        frame.put(device)
        if memory.isUntouched {
            frame.put(memory.state)
            frame.put(memory.incarnation)
        } else {
            frame.put(memory)
            frame.put(memory.cause)
        }
        endFullFrame()
    }

    /// Appends what a device's air conditioner is at, where it assumes something else: after its memory.
    public mutating func put(airConditioner actual: ACState, of device: DeviceID) {
        begin(.airConditioners)
        frame.put(device)
        frame.put(actual)
        endFullFrame()
    }

    /// Appends what a device is set to do by itself: after its memory.
    public mutating func put(_ settings: DeviceSettings, of device: DeviceID) {
        begin(.settings)
        frame.put(device)
        frame.put(settings)
        endFullFrame()
    }

    /// Ends the frame that has begun, if there is one.
    public mutating func endFrame() {
        guard content != nil else { return }
        output.put(Checksum.of(frame.bytes))
        output.put(block: frame.bytes)
        frame.removeAll()
        content = nil
    }

    private mutating func begin(_ wanted: MemoryFormat.Content) {
        guard content != wanted else { return }
        endFrame()
        content = wanted
        frame.put(byte: wanted.rawValue)
    }

    private mutating func endFullFrame() {
        if frame.bytes.count >= MemoryFormat.fullFrameBytes { endFrame() }
    }
}
