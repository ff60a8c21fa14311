public import FleetProtocol

/// The file format of a node's memory: a header, followed by frames.
///
/// The header is a magic string, the format number, and the checksum of both, then the origin and its
/// checksum. A frame is the checksum of its
/// content, the content's length, and the content: a type byte and a number of records of that type.
/// Checksums and lengths are 32-bit little-endian integers.
enum MemoryFormat {
    enum Content: UInt8 {
        /// Devices in their initial state: 20 or 24 bytes each.
        case births = 1
        /// Complete memories of devices, as formats before the fourth wrote them: without the cause of the
        /// last change.
        case causelessMemories = 2
        /// Entries, in the order of their events.
        case entries = 3
        /// Actual states of air conditioners that differ from the states that their pods assume.
        case airConditioners = 4
        /// Complete memories of devices, each with the cause of its last change.
        case memories = 5
        /// Settings of devices: timers, schedules, Climate React and others.
        case settings = 6
    }

    /// The format that this program writes, and the newest that it reads.
    ///
    /// States of format 1 have at most four settings. Format 3 adds the states of air conditioners. Format 4
    /// adds the causes of changes and the settings of devices, format 5 schedules, format 6 the creation time
    /// of a timer. Format 7 adds the origin.
    static let number: UInt32 = 7
    /// The first format with an origin.
    static let originNumber: UInt32 = 7

    static let mark = Array("sensimem".utf8)
    /// The length of the header, and of that before format 7.
    static let (headerBytes, formerHeaderBytes) = (32, 16)
    static let frameHeadBytes = 8
    /// The content length at which the writer ends a frame.
    static let fullFrameBytes = 32 * 1_024
    /// The longest valid content: a full frame may end in a record, which is less than 66 KiB.
    static let largestFrameBytes = 128 * 1_024

    static func header(_ origin: MemoryOrigin) -> [UInt8] {
        var writer = RecordWriter()
        for byte in mark { writer.put(byte: byte) }
        writer.put(number)
        writer.put(Checksum.of(writer.bytes))
        writer.put(origin.fleet ?? 0)
        writer.put(origin.generation)
        writer.put(Checksum.of(writer.bytes.dropFirst(formerHeaderBytes)))
        return writer.bytes
    }
}

/// The fleet and the age of a memory file, which its header has since format 7. Such a file has a witness.
public struct MemoryOrigin: Hashable, Sendable {
    /// The name of the fleet; nil if the node does not know it.
    public let fleet: UInt64?
    /// The number of times that the file was rewritten; its witness has it, too.
    public let generation: UInt32

    /// Creates an origin from its fields.
    public init(fleet: UInt64? = nil, generation: UInt32 = 0) {
        (self.fleet, self.generation) = (fleet, generation)
    }
}

extension MemoryEntry: Recordable {
    /// The kind of an entry: the lower three bits of a byte. The next bit marks settings at the end of the
    /// entry. The upper four bits are the cause of the last change.
    private enum Kind {
        static let command: UInt8 = 1
        static let change: UInt8 = 2
        static let epoch: UInt8 = 3
        static let reset: UInt8 = 4
        static let airConditioner: UInt8 = 5
        static let settings: UInt8 = 6

        static let mask: UInt8 = 0x07
        static let hasSettings: UInt8 = 0x08
        static let bits: UInt8 = 4
    }

    public func write(to writer: inout RecordWriter) {
        writer.put(device)
        writer.put(reported)
        writer.put(epoch)
        switch cause {
        case .command(let used):
            writer.put(byte: marked(Kind.command))
            writer.put(used)
        case .change: writer.put(byte: marked(Kind.change))
        case .epoch: writer.put(byte: marked(Kind.epoch))
        case .reset: writer.put(byte: marked(Kind.reset))
        case .settings: writer.put(byte: marked(Kind.settings))
        case .airConditioner:
            writer.put(byte: marked(Kind.airConditioner))
            writer.put(airConditioner ?? reported.state)
        }
        if let settings { writer.put(settings) }
    }

    private func marked(_ kind: UInt8) -> UInt8 {
        kind | (settings == nil ? 0 : Kind.hasSettings) | changedBy.rawValue << Kind.bits
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        device = try reader.read(DeviceID.self)
        reported = try reader.read(DeviceState.self)
        epoch = try reader.read(Epoch.self)
        var airConditioner: ACState?
        let mark = try reader.readByte()
        guard var changedBy = ChangeCause(rawValue: mark >> Kind.bits) else {
            throw .malformed(field: "what changed it")
        }
        switch mark & Kind.mask {
        case Kind.command: cause = .command(try reader.read(Used.self))
        case Kind.change:
            cause = .change
            // Entries before format 4 have no cause, and most of these changes came from hand remotes.
            if changedBy == .request { changedBy = .handRemote }
        case Kind.epoch: cause = .epoch
        case Kind.reset: cause = .reset
        case Kind.settings: cause = .settings
        case Kind.airConditioner:
            cause = .airConditioner
            airConditioner = try reader.read(ACState.self)
        default: throw .malformed(field: "cause")
        }
        self.changedBy = changedBy
        self.airConditioner = airConditioner
        settings = mark & Kind.hasSettings == 0 ? nil : try reader.read(DeviceSettings.self)
    }
}

extension DeviceMemory: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(reported)
        writer.put(epoch)
        writer.put(lastCommandNumber)
        guard lastCommandNumber != .zero else { return }
        writer.put(lastRequest)
        writer.put(lastJudgement)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(try reader.read(DeviceState.self))
        epoch = try reader.read(Epoch.self)
        lastCommandNumber = try reader.read(CommandNumber.self)
        guard lastCommandNumber != .zero else { return }
        lastRequest = try reader.read(RequestID.self)
        lastJudgement = try reader.read(Judgement.self)
    }
}

/// A change of a device's memory, settings or air conditioner, as appended to the node's memory file.
public struct MemoryEntry: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// The device used up a command number.
        case command(Used)
        /// The state changed without a command; ``MemoryEntry/changedBy`` is the cause.
        case change
        /// The device saw a higher epoch, and refuses lower ones from now on.
        case epoch
        /// The device lost its memory, and begins a new incarnation.
        case reset
        /// The filter's running time was updated; ``MemoryEntry/settings`` holds it. The version is
        /// unchanged.
        case settings
        /// An infrared signal was lost, or arrived after a loss; see ``MemoryEntry/airConditioner``.
        case airConditioner
    }

    /// The command that used a command number, and the device's verdict.
    public struct Used: Hashable, Sendable {
        public let commandNumber: CommandNumber
        public let requestID: RequestID
        /// The verdict; its state is the entry's ``MemoryEntry/reported``.
        public let verdict: Verdict
    }

    public let device: DeviceID
    /// The reported state after the event.
    public let reported: DeviceState
    /// The highest controller epoch that the device has seen.
    public let epoch: Epoch
    public let cause: Cause
    /// The cause of the last change of the state, by this event or an earlier one.
    public let changedBy: ChangeCause
    /// The actual state of the air conditioner; nil for events of other kinds.
    public let airConditioner: ACState?
    /// The device's settings after the event, empty for none; nil if the event did not change them.
    public let settings: DeviceSettings?

    init(
        device: DeviceID, reported: DeviceState, epoch: Epoch, cause: Cause,
        changedBy: ChangeCause = .request, airConditioner: ACState? = nil, settings: DeviceSettings? = nil
    ) {
        self.device = device
        self.reported = reported
        self.epoch = epoch
        self.cause = cause
        self.changedBy = changedBy
        self.airConditioner = airConditioner
        self.settings = settings
    }

    /// The command that used a command number; nil for events of other kinds.
    public var used: Used? {
        if case .command(let used) = cause { used } else { nil }
    }
}
