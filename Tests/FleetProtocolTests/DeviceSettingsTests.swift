import FleetProtocol
import Testing

@Suite("Settings of devices")
struct DeviceSettingsTests {
    private static let change = ACStateChange(
        isOn: true, mode: .heat, targetTemperature: .min, temperatureUnit: .fahrenheit, fanLevel: .auto,
        swing: .both, horizontalSwing: .both, light: .off)

    /// All settings, of maximum size.
    private static var largest: DeviceSettings { full(WallTime(unixMilliseconds: .min)) }

    /// All settings, with times that a file may have.
    private static var stored: DeviceSettings {
        full(WallTime(unixMilliseconds: Limits.wallMilliseconds.lowerBound))
    }

    private static func full(_ late: WallTime) -> DeviceSettings {
        var settings = DeviceSettings()
        let side = ClimateReact.Side(tenths: .min, change: change)
        settings.climateReact = ClimateReact(measure: .feelsLike, low: side, high: side)
        settings.timer = DeviceTimer(change: change, due: late, createdAt: late)
        settings.filter = FilterStatus(
            cleanedAt: late, thresholdSeconds: .max, recordedSeconds: 9e15, recordedAt: late,
            secondsPerSecond: 1_000_000)
        settings.calibration = SensorCalibration(deciCelsius: -100, humidityPermille: 100)
        settings.pureBoost = PureBoost(sensitivity: .sensitive, integrations: [.prime, .measurements])
        settings.schedules = (1...UInt64(Limits.deviceSchedules)).map { number in
            DeviceSchedule(
                id: ScheduleID(randomBits: number), plan: plan, createdAt: late, due: late, calendarDue: late)
        }
        return settings
    }

    private static var plan: SchedulePlan {
        guard let zone = TimeZoneName("America/Argentina/ComodRivadavia"), let time = LocalTime("23:59")
        else { preconditionFailure("the longest name of a zone, and the last minute of a day") }
        return SchedulePlan(change: change, time: time, weekdays: .all, zone: zone)
    }

    @Test("settings fit into the bytes that a chunk reserves for them")
    func size() throws {
        let device = DeviceID(fleetSeed: 1, index: 0)
        func size(_ settings: DeviceSettings) -> Int {
            StreamUpdate(
                epoch: Epoch(1), sequence: StreamSequence(1), at: WallTime(unixMilliseconds: 1),
                body: .settings(device, settings)
            ).wireBytes.count
        }
        for count in [0, 1, Limits.deviceSchedules] {
            var settings = Self.largest
            settings.schedules.removeLast(Limits.deviceSchedules - count)
            let bytes = size(settings) - size(DeviceSettings())
            #expect(bytes <= settings.bytesAtMost - 8)
            #expect(bytes > settings.bytesAtMost - 40)
        }
    }

    /// A device with the largest numbers, a name of maximum length, and the given settings.
    private func row(_ settings: DeviceSettings?) throws -> RowChunk.Row {
        let state = ACState(
            isOn: true, mode: .heat, targetTemperature: .min, temperatureUnit: .fahrenheit, fanLevel: .auto,
            swing: .both, horizontalSwing: .both, light: .off)
        let row = DeviceRow(
            device: DeviceID(fleetSeed: 1, index: 0), number: ChangeNumber(Limits.largestOrdinal),
            reported: DeviceState(
                state: state, version: Version(Limits.largestOrdinal), incarnation: Incarnation(bits: .max)),
            epoch: Epoch(Limits.largestOrdinal), lastCommandNumber: CommandNumber(Limits.largestOrdinal),
            isConnected: true, cause: .schedule, settings: settings)
        let measured = try #require(
            Measurements(
                deciCelsius: 900, feelsLikeDeciCelsius: 9_990, humidityPermille: 1_000, rssiDBm: -100))
        let name = String(repeating: "n", count: Limits.nameBytes)
        return RowChunk.Row(device: row, name: name, group: 255, measurements: measured)
    }

    @Test("settings of a node's chunk fit into it, with any other rows")
    func chunk() throws {
        let settled = try row(Self.largest)
        let count = Limits.chunkSettingsBytes / Self.largest.bytesAtMost
        let others = Array(repeating: try row(nil), count: Limits.chunkRows - count)
        let chunk = RowChunk(
            since: ChangeNumber(Limits.largestOrdinal), cursor: .max, nextCursor: .max, isLast: false,
            rows: others + Array(repeating: settled, count: count))
        let message = NodeMessage(
            bootID: BootID(bits: .max), lastNumber: ChangeNumber(Limits.largestOrdinal), body: .rows(chunk))
        #expect(message.wireBytes.count <= Limits.chunkBytes)
        guard case .rows(let read) = try NodeMessage(wireBytes: message.wireBytes).body else {
            Issue.record("it is decoded as another message")
            return
        }
        #expect(read.rows.count == Limits.chunkRows)
        #expect(read.rows.count { $0.device.settings != nil } == count)
    }

    @Test("telemetry with settings is divided into messages within the limit, without loss")
    func telemetry() throws {
        let (bare, settled) = (try row(nil).device, try row(Self.largest).device)
        for rows in [
            [], [bare], Array(repeating: bare, count: 201), Array(repeating: settled, count: 201),
            Array(repeating: bare, count: 99) + Array(repeating: settled, count: 2),
        ] {
            let messages = Telemetry.messages(of: rows, from: BootID(bits: .max))
            #expect(messages.flatMap(\.rows) == rows)
            #expect(messages.allSatisfy { $0.wireBytes.count <= Limits.messageBytes && !$0.rows.isEmpty })
            #expect(messages.allSatisfy { $0.rows.count <= Limits.updateDevices })
        }
        #expect(Telemetry.messages(of: Array(repeating: bare, count: 201), from: BootID(bits: 1)).count == 3)
    }

    @Test("settings are stored behind one pointer")
    func pointer() {
        #expect(MemoryLayout<DeviceSettings?>.size == MemoryLayout<Int>.size)
    }

    @Test("a timer has the time at which it was set, except in files of earlier formats")
    func timerOfOldFile() throws {
        var settings = DeviceSettings()
        settings.timer = DeviceTimer(change: Self.change, due: WallTime(unixMilliseconds: 5))
        settings.pureBoost = PureBoost(sensitivity: .normal, integrations: [])
        var old = RecordWriter()
        old.put(settings)
        #expect(old.bytes.first == 0x08, "the format of version 5 files")
        #expect(try RecordReader.read(DeviceSettings.self, from: old.bytes) == settings)
        settings.timer = DeviceTimer(
            change: Self.change, due: WallTime(unixMilliseconds: 5), createdAt: WallTime(unixMilliseconds: 4))
        var new = RecordWriter()
        new.put(settings)
        #expect(new.bytes.count == old.bytes.count + 8)
        #expect(try RecordReader.read(DeviceSettings.self, from: new.bytes) == settings)
        var impossible = RecordWriter()
        impossible.put(DeviceSettings())
        #expect(throws: RecordError.malformed(field: "timer")) {
            try RecordReader.read(DeviceSettings.self, from: [0x10] + impossible.bytes.dropFirst())
        }
    }

    @Test("settings are read from files without schedules")
    func formerRecord() throws {
        var settings = Self.stored
        settings.schedules = []
        (settings.calibration, settings.pureBoost) = (nil, nil)
        settings.timer = settings.timer.map { DeviceTimer(change: $0.change, due: $0.due) }
        var writer = RecordWriter()
        writer.put(settings.climateReact)
        writer.put(settings.timer)
        writer.put(settings.filter)
        #expect(try RecordReader.read(DeviceSettings.self, from: writer.bytes) == settings)
        #expect(try RecordReader.read(DeviceSettings.self, from: [0, 0, 0]) == DeviceSettings())
        #expect(throws: RecordError.malformed(field: "settings")) {
            try RecordReader.read(DeviceSettings.self, from: [0x80, 0, 0])
        }
        #expect(throws: RecordError.malformed(field: "schedules")) {
            try RecordReader.read(DeviceSettings.self, from: [2, 0, 0, 9])
        }
    }

    @Test(
        "a stored running time that is not a number of seconds is malformed",
        arguments: [(.nan, 1), (.infinity, 1), (-1, 1), (9.1e15, 1), (0, .nan), (0, -1), (0, 1.1e6)])
    func impossibleFilter(recordedSeconds: Double, secondsPerSecond: Double) throws {
        var writer = RecordWriter()
        writer.put(
            FilterStatus(
                cleanedAt: nil, recordedSeconds: recordedSeconds,
                recordedAt: WallTime(unixMilliseconds: 5), secondsPerSecond: secondsPerSecond))
        #expect(throws: RecordError.malformed(field: "filter")) {
            try RecordReader.read(FilterStatus.self, from: writer.bytes)
        }
    }

    @Test("a clock that was set back does not reduce filter hours")
    func clockBack() {
        let status = FilterStatus(
            cleanedAt: nil, recordedSeconds: 5, recordedAt: WallTime(unixMilliseconds: 10_000),
            secondsPerSecond: 2)
        #expect(status.runningSeconds(at: WallTime(unixMilliseconds: 1)) == 5)
        #expect(status.runningSeconds(at: WallTime(unixMilliseconds: 11_500)) == 8)
        let updated = status.updated(at: WallTime(unixMilliseconds: 11_500), secondsPerSecond: 0)
        #expect(updated.runningSeconds(at: WallTime(unixMilliseconds: 99_000)) == 8)
    }
}
