/// What air conditioners are set to, as the columns of a chunk of rows.
struct StateColumns {
    var on: [Bool] = []
    var modes: [UInt32] = []
    var celsius: [Int32] = []
    var fanLevels: [UInt32] = []

    /// Whether each column has that many values.
    func areOfLength(_ count: Int) -> Bool {
        [on.count, modes.count, celsius.count, fanLevels.count].allSatisfy { $0 == count }
    }

    /// The state of one row.
    func state(at index: Int) throws(WireError) -> ACState {
        try ACState(
            isOn: on[index], wireMode: modes[index], wireCelsius: celsius[index],
            wireFanLevel: fanLevels[index])
    }
}
