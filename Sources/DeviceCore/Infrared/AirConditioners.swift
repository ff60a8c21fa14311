import FleetProtocol

/// What air conditioners really are at: a side table, for most are at what their pods assume.
struct AirConditioners: Sendable {
    /// The states of those that are at another, by slot.
    private var strays: [Int32: ACState] = [:]

    /// Whether every one is at what its pod assumes.
    var areAsAssumed: Bool { strays.isEmpty }

    /// What the one of a slot is at where its pod does not know it; nil where it does.
    func stray(of slot: Int) -> ACState? { strays.isEmpty ? nil : strays[Int32(slot)] }

    /// Notes what the one of a slot is at, whose pod assumes a state.
    ///
    /// - Returns: Whether that is news: ``stray(of:)`` has changed.
    mutating func note(_ actual: ACState, of slot: Int, assumed: ACState) -> Bool {
        let stray = actual == assumed ? nil : actual
        guard stray != self.stray(of: slot) else { return false }
        strays[Int32(slot)] = stray
        return true
    }
}
