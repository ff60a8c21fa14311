import ControllerCore
import FleetProtocol

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

    /// The process at an index, accessed in place.
    subscript(index: Int) -> ControllerProcess {
        _read { yield processes[index] }
        _modify { yield &processes[index] }
    }

    /// The index of a process, which is valid until a process ends; nil if it has ended.
    func index(of number: Int) -> Int? {
        for index in processes.indices where processes[index].number == number { return index }
        return nil
    }

    /// The index of the newest process; nil if it has ended.
    var newestIndex: Int? { index(of: newest) }

    // Functions rather than the subscript, whose accessor allocates where the compiler does not inline it.

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
