public import FleetProtocol
public import Records

/// How a node's memory lies in a file: a header, and frames behind it.
///
/// The header is a mark, the number of the format, and the checksum of both. A frame is the checksum of its
/// content, the length of that, and itself: a byte that says what it holds, and as many of those as there
/// are. Checksums and lengths have four bytes, the lowest first.
enum MemoryFormat {
    /// What a frame holds.
    enum Content: UInt8 {
        /// Devices to which nothing has happened: 20 bytes each, or 24.
        case births = 1
        /// Whole memories of devices, as they were before the fourth format: nothing says what last changed
        /// them.
        case causelessMemories = 2
        /// What happened, in order.
        case entries = 3
        /// What air conditioners are at whose pods assume something else.
        case airConditioners = 4
        /// Whole memories of devices, each with what last changed it.
        case memories = 5
        /// What devices are set to do by themselves.
        case settings = 6
    }

    /// The format that this program writes, and the newest that it reads.
    ///
    /// Before the second no state has more than four settings, before the third nothing is said of air
    /// conditioners, and before the fourth nothing of what changed a device, nor of what it does by itself;
    /// before the fifth that is no schedule, and before the sixth nobody noted when a timer was set.
    static let number: UInt32 = 6

    static let mark = Array("sensimem".utf8)
    static let headerBytes = 16
    static let frameHeadBytes = 8
    /// A frame is ended once its content is as long.
    static let fullFrameBytes = 32 * 1_024
    /// No content is longer: a full frame may end in a record, which is less than 66 KiB.
    static let largestFrameBytes = 128 * 1_024

    static let header: [UInt8] = {
        var writer = RecordWriter()
        for byte in mark { writer.put(byte: byte) }
        writer.put(number)
        writer.put(Checksum.of(writer.bytes))
        return writer.bytes
    }()
}

extension MemoryEntry: Recordable {
    /// What happened: the lower three bits of a byte.
    ///
    /// The next bit says whether settings follow at the end, and the upper four what last changed the state.
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
        device = try reader.take(DeviceID.self)
        reported = try reader.take(DeviceState.self)
        epoch = try reader.take(Epoch.self)
        var airConditioner: ACState?
        let mark = try reader.takeByte()
        guard var changedBy = ChangeCause(rawValue: mark >> Kind.bits) else {
            throw .malformed(field: "what changed it")
        }
        switch mark & Kind.mask {
        case Kind.command: cause = .command(try reader.take(Used.self))
        case Kind.change:
            cause = .change
            // Before the fourth format nobody said what, and most was of hand remotes.
            if changedBy == .request { changedBy = .handRemote }
        case Kind.epoch: cause = .epoch
        case Kind.reset: cause = .reset
        case Kind.settings: cause = .settings
        case Kind.airConditioner:
            cause = .airConditioner
            airConditioner = try reader.take(ACState.self)
        default: throw .malformed(field: "cause")
        }
        self.changedBy = changedBy
        self.airConditioner = airConditioner
        settings = mark & Kind.hasSettings == 0 ? nil : try reader.take(DeviceSettings.self)
    }
}

extension MemoryEntry.Used: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(sequence)
        writer.put(requestID)
        writer.put(verdict)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        sequence = try reader.take(CommandSequence.self)
        requestID = try reader.take(RequestID.self)
        verdict = try reader.take(Verdict.self)
    }
}

extension Judgement: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(verdict)
        writer.put(version)
        writer.put(state)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        verdict = try reader.take(Verdict.self)
        version = try reader.take(Version.self)
        state = try reader.take(ACState.self)
    }
}

extension DeviceMemory: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(reported)
        writer.put(epoch)
        writer.put(lastSequence)
        guard lastSequence != .zero else { return }
        writer.put(lastRequest)
        writer.put(lastJudgement)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(try reader.take(DeviceState.self))
        epoch = try reader.take(Epoch.self)
        lastSequence = try reader.take(CommandSequence.self)
        guard lastSequence != .zero else { return }
        lastRequest = try reader.take(RequestID.self)
        lastJudgement = try reader.take(Judgement.self)
    }
}

/// What a device must not forget, as it happens, and what its air conditioner does meanwhile.
public struct MemoryEntry: Hashable, Sendable {
    /// What happened.
    public enum Cause: Hashable, Sendable {
        /// It used up a sequence.
        case command(Used)
        /// Something other than a command changed it: ``MemoryEntry/changedBy`` says what.
        case change
        /// It heard of a higher epoch, and refuses lower ones from now on.
        case epoch
        /// It lost its memory, and begins a new life.
        case reset
        /// What it counts was noted anew: ``MemoryEntry/settings`` has it. Its version is as it was.
        case settings
        /// Infrared was lost, or got through after that: ``MemoryEntry/airConditioner`` says where it is.
        case airConditioner
    }

    /// The command that used its sequence, and the device's word on it.
    public struct Used: Hashable, Sendable {
        /// The number.
        public let sequence: CommandSequence
        /// The intention.
        public let requestID: RequestID
        /// The word; what it was given on is the state that the device is left at.
        public let verdict: Verdict
    }

    /// The device.
    public let device: DeviceID
    /// The state that it is left at.
    public let reported: DeviceState
    /// The highest controller's epoch it has seen.
    public let epoch: Epoch
    /// What happened.
    public let cause: Cause
    /// What last changed the state, by this or before it.
    public let changedBy: ChangeCause
    /// What its air conditioner is at; nil where it is not about that.
    public let airConditioner: ACState?
    /// What it is set to do by itself, empty for nothing; nil where that is as it was.
    public let settings: DeviceSettings?

    /// The entry of those values.
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

    /// What was used; nil when no sequence was.
    public var used: Used? {
        if case .command(let used) = cause { used } else { nil }
    }
}
