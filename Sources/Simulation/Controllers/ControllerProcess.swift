import ControllerCore
import FleetProtocol

/// A controller process: its controller, its journal, and the effects that are not carried out yet.
struct ControllerProcess {
    /// The ordinal of the process, from 1.
    let number: Int
    private(set) var controller: Controller
    private var writer: StorageWriter<DiskMedium>
    /// The segments that it reads while it serves.
    let unread: UnreadSegments
    private(set) var effects = Controller.Effects()
    /// No effects, with capacity for those of a turn.
    private var spare = Controller.Effects()
    /// The schedule of turns. Packets that arrive while the process is frozen are read before a postponed
    /// turn, as sockets are drained before a turn.
    var turns = TurnSchedule()
    /// The passwords that its worker checks or hashes.
    var checks = SlotMap<PasswordCheck>()
    var hashings = SlotMap<PasswordHashing>()
    /// When the writer tries again; nil unless its disk is full.
    private var retryAt: MonotonicTime?
    var clockError: Duration

    /// Starts a process from the content of a disk, whose state is added to the configuration. `earlier` are
    /// the segments before the epoch was stored, for a planted bug.
    init(
        _ number: Int, on disk: Disk, _ configuration: consuming ControllerConfiguration, segmentBytes: Int,
        clockError: Duration, earlier: [Disk.Segment], at now: Moment
    ) throws(StorageError) {
        let (moment, planted) = (now.shifted(by: clockError), configuration.planted)
        let epoch = configuration.epoch
        let medium = DiskMedium(disk: disk, epoch: epoch, planted: planted)
        var replay = JournalReplay()
        let journal = try Journal(
            medium, segmentBytes: segmentBytes, batchBytes: 0, at: moment.wall, into: &replay)
        if planted(.journalBeforeEpoch), !earlier.isEmpty { replay = try Self.replay(of: earlier) }
        (self.number, self.clockError) = (number, clockError)
        unread = journal.unread
        disk.restore(into: &configuration)
        configuration.plantInRecords(at: moment.wall)
        controller = Controller(configuration, recovering: replay, awaiting: disk.lists, at: moment)
        writer = StorageWriter(journal, planted: planted) { [disk] (changes) throws(StorageError) in
            try disk.store(changes, as: epoch)
        }
    }

    private static func replay(of segments: [Disk.Segment]) throws(StorageError) -> JournalReplay {
        var replay = JournalReplay()
        for segment in segments {
            for batch in segment.batches {
                do throws(RecordError) {
                    for entry in try JournalEntry.entries(of: batch[...]) { replay.apply(entry) }
                } catch {
                    throw .damaged(path: "segment \(segment.number)", what: error.description)
                }
            }
        }
        return replay
    }

    // MARK: Turns

    /// Whether there are effects, or the writer waits for room on the disk.
    var hasWork: Bool { !effects.isEmpty || retryAt != nil }

    mutating func step(_ input: consuming Controller.Input, at now: Moment) {
        controller.step(input, at: now.shifted(by: clockError), into: &effects)
    }

    mutating func receive(_ message: NodeMessage, from node: ConnectionID, at now: Moment) {
        controller.receive(message, from: node, at: now.shifted(by: clockError), into: &effects)
    }

    mutating func receive(
        _ request: ClientRequest, from client: ConnectionID, digest: TokenDigest?, at now: Moment
    ) {
        let now = now.shifted(by: clockError)
        controller.receive(request, from: client, digest: digest, at: now, into: &effects)
    }

    /// Returns when the next turn must be scheduled; nil if it already is. It is soon if there are effects,
    /// and otherwise when the controller or the writer needs it.
    mutating func nextTurn(after now: MonotonicTime) -> MonotonicTime? {
        let soon = MonotonicTime(nanoseconds: now.nanoseconds + 100_000)
        guard soon < turns.wakesAt else { return nil }
        let due = min(controller.nextDue, retryAt ?? .never)
        return turns.schedule(at: effects.isEmpty ? max(due, soon) : soon)
    }

    // MARK: Effects

    mutating func drainEffects() -> Controller.Effects {
        var drained = Controller.Effects()
        swap(&drained, &effects)
        swap(&effects, &spare)
        return drained
    }

    /// Takes back effects that were carried out, so that the next use their capacity.
    mutating func recycle(_ done: inout Controller.Effects) {
        done.removeAll()
        swap(&spare, &done)
    }

    /// Writes the changes among the effects, and confirms them to the controller; returns whether the disk is
    /// full.
    mutating func write(_ decided: inout Controller.Effects, at now: Moment) throws(StorageError) -> Bool {
        let now = now.shifted(by: clockError)
        defer { retryAt = writer.retryAt }
        let event = try writer.write(&decided, open: { controller.openEntries }, at: now)
        var isFull = false
        switch event {
        case nil: break
        case .full?:
            isFull = true
            controller.step(.storage(isFull: true), at: now, into: &effects)
        case .room?: controller.step(.storage(isFull: false), at: now, into: &effects)
        }
        let stored = Controller.Input.stored(took: .microseconds(10), segment: writer.segment)
        controller.step(stored, at: now, into: &effects)
        return isFull
    }
}

extension ControllerConfiguration {
    /// Plants the bugs that lose or change stored records of account services.
    fileprivate mutating func plantInRecords(at now: WallTime) {
        let lost = [
            planted(.labelsLost) ? LabelRequest.service : nil,
            planted(.postNotStored) ? LogbookRequest.service : nil,
            planted(.rosterLost) ? RosterRequest.service : nil,
        ]
        records.removeAll { lost.contains($0.service) }
        guard planted(.turnRepeated) else { return }
        for place in records.indices where records[place].service == QueueRecord.service {
            guard case .report(var report)? = try? QueueRecord(wireBytes: records[place].value ?? []),
                let current = report.current, case .running(let request) = report.progress[current]
            else { continue }
            let high = UInt64(now.unixMilliseconds) << 16 | request.high & 0xffff
            report.progress[current] = .running(RequestID(high: high, low: request.low))
            records[place] = ServiceRecord(QueueRecord.report(report), of: records[place].account)
        }
    }
}

extension Moment {
    func shifted(by error: Duration) -> Moment {
        error == .zero ? self : Moment(monotonic: monotonic, wall: wall.advanced(by: error))
    }
}

/// The running controller processes: one, or two while a second one has started.
struct ControllerProcesses {
    private var processes = InPlaceArray<ControllerProcess>()
    /// The number of the newest process, which may have ended; 0 before the first.
    private(set) var newest = 0
    /// The journal's segments a moment before a second controller process stores its epoch; used by a planted
    /// bug only.
    var segmentsBeforeTakeover: [Disk.Segment] = []

    var count: Int { processes.count }

    var numbers: [Int] { processes.map(\.number).sorted() }

    subscript(index: Int) -> ControllerProcess {
        _read { yield processes[index] }
        _modify { yield &processes[index] }
    }

    /// The index of a process, which is valid until a process ends; nil if it has ended.
    func index(of number: Int) -> Int? {
        for index in processes.indices where processes[index].number == number { return index }
        return nil
    }

    var newestIndex: Int? { index(of: newest) }

    // Speed: see performance.md, "accessors".

    mutating func beginTurn(of index: Int, at now: MonotonicTime) -> TurnSchedule.Turn {
        processes.elements[index].turns.begin(at: now, delay: .nanoseconds(1))
    }

    mutating func write(
        _ decided: inout Controller.Effects, of index: Int, at now: Moment
    ) throws(StorageError) -> Bool {
        try processes.elements[index].write(&decided, at: now)
    }

    mutating func add(_ process: consuming ControllerProcess) {
        newest = process.number
        processes.append(process)
    }

    mutating func remove(_ number: Int) {
        if let index = index(of: number) { processes.remove(at: index) }
    }
}
