extension Fault {
    /// Its name, in lower case.
    public var name: String { "\(self)" }

    /// Whether the fault has a duration; a flip, a reset and a crash are instantaneous.
    public var hasDuration: Bool {
        switch self {
        case .offline, .hang, .slow, .reboot: true
        case .flip, .reset, .crash: false
        }
    }

    /// Whether the fault has a delay, which is added to each command.
    public var hasDelay: Bool { self == .slow }
}

extension FaultList {
    /// Adds the list of another node, up to the limit.
    public mutating func add(_ other: FaultList) {
        faults += other.faults.prefix(Limits.listedFaults - faults.count)
        let (sum, isTooMuch) = total.addingReportingOverflow(other.total)
        total = isTooMuch ? .max : sum
    }
}
