import ControllerCore
import DeviceCore
import FleetProtocol

/// A node process: its node, the file of its devices' memory, and its connection.
struct NodeProcess {
    static let devices = 2

    let configuration: NodeConfiguration
    // Speed: see performance.md, "copies".
    /// Nil while the process is not running.
    private(set) var node: Node?
    private(set) var isAlive = false
    private(set) var bootID: BootID?
    /// When the node needs its next turn; nil if it needs none.
    private var due: MonotonicTime?
    private(set) var boots = 0
    private(set) var connection: ConnectionID
    var controller: Int?
    /// The memory file, which outlives the process.
    private var file = MemoryWriter.header()
    private var writer = MemoryWriter()
    private(set) var isTaken = false
    /// An older copy of the memory file; nil if none was made.
    private var copy: [UInt8]?
    /// If set, the process dies at its next write to the memory file, and starts again at this time.
    private var diesWritingUntil: MonotonicTime?
    var turns = TurnSchedule()
    /// An empty list with capacity for the effects of a step.
    private var spare: [Node.Effect] = []

    init(configuration: NodeConfiguration, connection: ConnectionID) {
        (self.configuration, self.connection) = (configuration, connection)
    }

    // MARK: The process

    mutating func start(_ node: Node) {
        (isAlive, bootID, due) = (true, node.bootID, node.nextDue)
        self.node = node
        boots += 1
        controller = nil
        (turns, diesWritingUntil, isTaken) = (TurnSchedule(), nil, false)
        writer.removeAll()
        node.putMemories(of: 0..<node.deviceCount, into: &writer)
        writer.endFrame()
        file = MemoryWriter.header() + writer.bytes
    }

    mutating func kill() { (node, isAlive, bootID, due) = (nil, false, nil, nil) }

    mutating func connect(_ connection: ConnectionID, to controller: Int) {
        (self.connection, self.controller) = (connection, controller)
    }

    /// Steps the node, and returns its effects; an ended process has no effects.
    mutating func step(_ input: Node.Input, at now: Moment) -> [Node.Effect] {
        var effects: [Node.Effect] = []
        swap(&effects, &spare)
        due = node?.stepInPlace(input, at: now, into: &effects) ?? nil
        return effects
    }

    /// Takes back a list of effects, so that the next step uses its capacity.
    mutating func recycle(_ effects: consuming [Node.Effect]) {
        if !effects.isEmpty { effects.removeAll(keepingCapacity: true) }
        swap(&effects, &spare)
    }

    /// Returns when the next turn must be scheduled; nil if it already is, or none is needed.
    mutating func nextTurn(after now: MonotonicTime) -> MonotonicTime? {
        guard let due else { return nil }
        return turns.schedule(at: max(due, now))
    }

    /// The state of a device; nil if the process is not running.
    mutating func row(of slot: Int) -> DeviceRow? { node?.rowInPlace(of: slot) }

    // MARK: The memory file

    enum Write {
        case done
        /// The process died during the write, and starts again at that time.
        case died(isComplete: Bool, startsAt: MonotonicTime)
    }

    /// Appends the changes of memory among the effects to the memory file.
    mutating func persist(_ effects: [Node.Effect], using random: inout SeededGenerator) -> Write {
        guard effects.contains(where: { if case .remember = $0 { true } else { false } }) else {
            return .done
        }
        writer.removeAll()
        for case .remember(let entry) in effects { writer.put(entry) }
        writer.endFrame()
        guard let start = diesWritingUntil else {
            file += writer.bytes
            return .done
        }
        let written = Int.random(in: 0...writer.bytes.count, using: &random)
        file += writer.bytes[..<written]
        return .died(isComplete: written == writer.bytes.count, startsAt: start)
    }

    /// Lets the process die at its next write; nil cancels that.
    mutating func dieWriting(until start: MonotonicTime?) { diesWritingUntil = start }

    mutating func copyFile(of other: NodeProcess) { file = other.file }

    /// Loses the memory file to another process, if this one runs.
    mutating func loseFile() { isTaken = isAlive }

    mutating func removeFile() { file = MemoryWriter.header() }

    /// Copies the memory file, or replaces it by the copy, or does nothing; returns whether it is an older
    /// copy.
    mutating func usesOlderCopy(using random: inout SeededGenerator) -> Bool {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: copy = file
        case 1:
            guard let copy, copy != file else { return false }
            file = copy
            return true
        default: break
        }
        return false
    }

    /// Replays the memory file up to the first error, and returns both.
    func memory() -> (memory: NodeMemory, error: (any Error)?) {
        var replay = MemoryReplay()
        do {
            try replay.append(file[...])
            _ = try replay.finish()
        } catch {
            return (replay.memory, error)
        }
        return (replay.memory, nil)
    }
}

// Speed: see performance.md, "copies".
extension Node {
    fileprivate mutating func stepInPlace(
        _ input: Input, at now: Moment, into effects: inout [Effect]
    ) -> MonotonicTime? {
        step(input, at: now, into: &effects)
        return nextDue
    }

    fileprivate mutating func rowInPlace(of slot: Int) -> DeviceRow { row(of: slot) }
}

extension InPlaceArray<NodeProcess> {
    /// A random device of a running node of an account, or of another account; nil if no node qualifies.
    mutating func randomRow(
        of account: AccountID, isForeign: Bool, using random: inout SeededGenerator
    ) -> DeviceRow? {
        // Speed: see performance.md, "copies".
        func isWanted(_ index: Int) -> Bool {
            self[index].isAlive && (self[index].configuration.account == account) != isForeign
        }
        let count = indices.count(where: isWanted)
        guard count > 0 else { return nil }
        var place = Int.random(in: 0..<count * NodeProcess.devices, using: &random)
        for index in indices where isWanted(index) {
            if place < NodeProcess.devices { return self[index].row(of: place) }
            place -= NodeProcess.devices
        }
        return nil
    }

    // Speed: see performance.md, "copies".
    /// Returns the state of every device.
    mutating func truth() -> HashTable<DeviceID, DeviceRow> {
        var rows = HashTable<DeviceID, DeviceRow>()
        for index in indices {
            for slot in 0..<NodeProcess.devices {
                if let row = self[index].row(of: slot) { _ = rows.index(of: row.device, default: row) }
            }
        }
        return rows
    }
}

/// Zones whose clocks are some seconds ahead of UTC, so that in one of them a minute begins soon.
struct SimulatedZones: ZoneOffsets {
    private static let prefix = "Ahead/"

    /// The zone where it is a whole minute at that time, and the local time there.
    static func zone(ofMinuteAt time: WallTime) -> (name: TimeZoneName, time: LocalTime) {
        let seconds = time.unixMilliseconds / 1_000
        let ahead = (60 - seconds % 60) % 60
        guard let name = TimeZoneName("\(prefix)\(ahead)"),
            let local = LocalTime(minuteOfDay: (seconds + ahead) / 60 % 1_440)
        else { preconditionFailure("\(ahead) seconds name no zone") }
        return (name, local)
    }

    func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64? {
        guard zone.text.hasPrefix(Self.prefix) else { return nil }
        return Int64(zone.text.dropFirst(Self.prefix.count))
    }
}
