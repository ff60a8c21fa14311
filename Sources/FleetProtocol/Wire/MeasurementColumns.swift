/// Measurements of pods as four columns: of devices, or of the rows of a chunk. A row without measurements
/// has zeros; no access point has a signal of 0 dBm.
struct MeasurementColumns {
    private var temperatures: [Int32] = []
    private var feltTemperatures: [Int32] = []
    private var humidities: [UInt32] = []
    private var strengths: [Int32] = []

    /// Reads one of the four columns, from 0: temperature, feels-like temperature, humidity, signal strength.
    mutating func read(_ place: Int, of fields: inout FieldReader) throws(WireError) {
        switch place {
        case 0: try fields.read(&temperatures)
        case 1: try fields.read(&feltTemperatures)
        case 2: try fields.read(&humidities)
        case 3: try fields.read(&strengths)
        default: break
        }
    }

    /// Writes the measurements of the rows as columns, numbered from `number`; nothing if no row has any.
    @inline(__always)
    static func write(
        _ rows: Int, from number: Int, to fields: inout FieldWriter, _ measured: (Int) -> Measurements?
    ) {
        guard (0..<rows).contains(where: { measured($0) != nil }) else { return }
        fields.put(number, column: rows) { Int32(measured($0)?.deciCelsius ?? 0) }
        fields.put(number + 1, column: rows) { Int32(measured($0)?.feelsLikeDeciCelsius ?? 0) }
        fields.put(number + 2, column: rows) { UInt32(measured($0)?.humidityPermille ?? 0) }
        fields.put(number + 3, column: rows) { Int32(measured($0)?.rssiDBm ?? 0) }
    }

    var areAbsent: Bool { areOfLength(0) }

    func areOfLength(_ count: Int) -> Bool {
        temperatures.count == count && feltTemperatures.count == count && humidities.count == count
            && strengths.count == count
    }

    /// Returns the measurements of one row; throws `malformed` if it has none.
    func required(at index: Int) throws(WireError) -> Measurements {
        guard let measurements = try value(at: index) else {
            throw .malformed("measured", "measurements of each device")
        }
        return measurements
    }

    /// Returns the measurements of one row; nil if it has none.
    func value(at index: Int) throws(WireError) -> Measurements? {
        guard !areAbsent, strengths[index] != 0 else { return nil }
        guard let temperature = Int16(exactly: temperatures[index]),
            let felt = Int16(exactly: feltTemperatures[index]),
            let humidity = UInt16(exactly: humidities[index]),
            let strength = Int8(exactly: strengths[index]),
            let measurements = Measurements(
                deciCelsius: temperature, feelsLikeDeciCelsius: felt, humidityPermille: humidity,
                rssiDBm: strength)
        else {
            throw .malformed(
                "measurements", "-60 to 90 °C, feeling like -99 to 999, 0 to 100 %, -100 to -20 dBm")
        }
        return measurements
    }
}

/// Measurements of pods with their times at the controller: five columns of the rows of a chunk.
struct MeasuredColumns {
    private var times: [Int64] = []
    private var measurements = MeasurementColumns()

    /// Reads one of the five columns: the time from 0 on, then the others.
    mutating func read(_ place: Int, of fields: inout FieldReader) throws(WireError) {
        if place == 0 { try fields.read(&times) } else { try measurements.read(place - 1, of: &fields) }
    }

    /// Writes the measurements of the rows as columns, numbered from `number`; nothing when no row has any.
    @inline(__always)
    static func write(
        _ rows: Int, from number: Int, to fields: inout FieldWriter,
        _ measured: (Int) -> SnapshotChunk.Measured?
    ) {
        guard (0..<rows).contains(where: { measured($0) != nil }) else { return }
        fields.put(number, column: rows) { measured($0)?.at.unixMilliseconds ?? 0 }
        MeasurementColumns.write(rows, from: number + 1, to: &fields) { measured($0)?.measurements }
    }

    var areAbsent: Bool { areOfLength(0) }

    func areOfLength(_ count: Int) -> Bool { times.count == count && measurements.areOfLength(count) }

    /// Returns the measurements of one row with their time; nil if it has none.
    func value(at index: Int) throws(WireError) -> SnapshotChunk.Measured? {
        guard let measurements = try measurements.value(at: index) else { return nil }
        return SnapshotChunk.Measured(
            measurements, at: try WallTime(wire: times[index], field: "measured_at_ms"))
    }
}

struct MeasuredDevices {
    let devices: [MeasuredDevice]

    init(_ devices: [MeasuredDevice]) { self.devices = devices }
}
