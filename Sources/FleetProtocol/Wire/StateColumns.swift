/// What air conditioners are set to, as the columns of a chunk of rows.
struct StateColumns {
    private var on: [Bool] = []
    private var modes: [UInt32] = []
    private var targets: [Int32] = []
    private var fanLevels: [UInt32] = []
    private var swings: [UInt32] = []
    private var horizontalSwings: [UInt32] = []
    private var lights: [UInt32] = []
    private var units: [UInt32] = []

    /// Reads one of the eight columns; they have numbers that follow one another.
    ///
    /// - Parameter place: From 0 on, in the order of the fields of `ACState`.
    mutating func read(_ place: Int, of fields: inout FieldReader) throws(WireError) {
        switch place {
        case 0: try fields.read(&on)
        case 1: try fields.read(&modes)
        case 2: try fields.read(&targets)
        case 3: try fields.read(&fanLevels)
        case 4: try fields.read(&swings)
        case 5: try fields.read(&horizontalSwings)
        case 6: try fields.read(&lights)
        case 7: try fields.read(&units)
        default: break
        }
    }

    /// Writes the states of so many rows, as columns from a number on.
    @inline(__always)
    static func write(
        _ rows: Int, from number: Int, to fields: inout FieldWriter, _ state: (Int) -> ACState
    ) {
        fields.put(number, column: rows) { state($0).isOn }
        fields.put(number + 1, column: rows) { state($0).mode.wire }
        fields.put(number + 2, column: rows) { Int32(state($0).targetTemperature) }
        fields.put(number + 3, column: rows) { state($0).fanLevel.wire }
        fields.put(number + 4, column: rows) { state($0).swing.wire }
        fields.put(number + 5, column: rows) { state($0).horizontalSwing.wire }
        fields.put(number + 6, column: rows) { state($0).light.wire }
        fields.put(number + 7, column: rows) { state($0).temperatureUnit.wire }
    }

    /// Whether each column has that many values.
    func areOfLength(_ count: Int) -> Bool {
        let counts = [
            on.count, modes.count, targets.count, fanLevels.count, swings.count, horizontalSwings.count,
            lights.count, units.count,
        ]
        return counts.allSatisfy { $0 == count }
    }

    /// The state of one row.
    func state(at index: Int) throws(WireError) -> ACState {
        try ACState(
            wire: WireSettings(
                isOn: on[index], mode: modes[index], target: targets[index], fanLevel: fanLevels[index],
                swing: swings[index], horizontalSwing: horizontalSwings[index], light: lights[index],
                unit: units[index]))
    }
}
