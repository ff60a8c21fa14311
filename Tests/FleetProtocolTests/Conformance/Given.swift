import FleetProtocol
import Testing

/// The values in the vectors.
struct Given {
    let device: DeviceID
    let otherDevice: DeviceID
    let account: AccountID
    let email: Email
    let node: NodeName
    let cell: CellName
    let key: APIKey
    let readingKey: APIKey
    let token: Token
    let digest: TokenDigest
    let schedule: ScheduleID
    let otherSchedule: ScheduleID
    let lateTime: LocalTime
    let firstTime: LocalTime
    let zone: TimeZoneName
    /// 23.4 °C that feel like 24.1, 45.5 %, -61 dBm.
    let warm: Measurements
    /// The smallest values, and saturated air.
    let cold: Measurements
    /// Created at 2026-01-02T03:04:05.678Z.
    let requestID = RequestID(high: 0x019b_7ca9_8f2e_7a1c, low: 0x8f3b_5d2e_9a41_c607)
    let incarnation = Incarnation(bits: 0xfedc_ba98_7654_3210)
    let bootID = BootID(bits: 0x0123_4567_89ab_cdef)
    let order = OrderID(bits: 0x0f1e_2d3c_4b5a_6978)
    let epoch = Epoch(1_767_323_000)
    let at = WallTime(unixMilliseconds: 1_767_323_045_678)

    init() throws {
        device = try #require(DeviceID("m7SWtqMj"))
        otherDevice = try #require(DeviceID("ep2ZksVK"))
        account = try #require(AccountID("demo"))
        email = try #require(Email("demo@sensibus.local"))
        node = try #require(NodeName("node-1"))
        cell = try #require(CellName("c2"))
        token = try #require(Token([UInt8](0..<32)))
        digest = try #require(TokenDigest([UInt8](32..<64)))
        schedule = try #require(ScheduleID("k3Rx9QaB"))
        otherSchedule = try #require(ScheduleID("00000000"))
        lateTime = try #require(LocalTime("22:15"))
        firstTime = try #require(LocalTime("00:00"))
        zone = try #require(TimeZoneName("Europe/Oslo"))
        key = APIKey(name: try #require(APIKey.Name("home-assistant")), user: email, madeAt: at)
        readingKey = APIKey(name: try #require(APIKey.Name("grafana")), user: email, madeAt: at, scope: .read)
        warm = try #require(
            Measurements(deciCelsius: 234, feelsLikeDeciCelsius: 241, humidityPermille: 455, rssiDBm: -61))
        cold = try #require(
            Measurements(
                deciCelsius: -600, feelsLikeDeciCelsius: -600, humidityPermille: 1_000, rssiDBm: -100))
    }

    /// Off, cooling to 22 °C, at version 11.
    var before: DeviceState {
        reported(ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto), 11)
    }

    /// The same, on, at version 12.
    var after: DeviceState {
        reported(ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto), 12)
    }

    var identity: CommandIdentity {
        CommandIdentity(
            device: device, incarnation: incarnation, commandNumber: CommandNumber(5), requestID: requestID)
    }

    /// Two groups of devices: one with all values, and one with as few as possible.
    let groups = [
        DeviceGroup(
            model: .airPro, site: "Mühle", firmware: "SKY30046", remote: .toggle, airConditioner: .window),
        DeviceGroup(model: .sky, site: "", firmware: "", remote: .discrete),
    ]

    /// Each model, as a group of an account.
    var numberedGroups: [SnapshotChunk.Group] {
        ProductModel.allCases.enumerated().map { place, model in
            SnapshotChunk.Group(
                number: GroupNumber(UInt16(place + 1)),
                group: DeviceGroup(
                    model: model, site: "Home", firmware: "SKY30046", remote: .toggle,
                    airConditioner: AirConditionerKind.allCases[place % 4]))
        }
    }

    /// The device after its change of number 4,321.
    var row: DeviceRow { row(after, number: 4_321) }

    /// A state for each mode and each fan level, the smallest and the largest temperatures, and every swing,
    /// light and unit.
    var states: [DeviceState] {
        let temperatures: [Int8] = [0, -1, 30, .min, .max]
        return HorizontalSwing.allCases.enumerated().map { place, horizontalSwing in
            reported(
                ACState(
                    isOn: false, mode: ACMode.allCases[place % 5],
                    targetTemperature: temperatures[place % 5],
                    temperatureUnit: TemperatureUnit.allCases[place % 2],
                    fanLevel: FanLevel.allCases[place % 5], swing: Swing.allCases[place % 12],
                    horizontalSwing: horizontalSwing, light: Light.allCases[(place + 1) % 3]), 1)
        }
    }

    var presences: [Presence.Kind] {
        [.online, .stale, .unknown] + Presence.Reason.allCases.map { .offline($0) }
    }

    var outcomes: [Outcome] {
        [
            .applied(after), .unchanged(before), .conflict(after),
            .rejected("target temperature 99 °C: mode cool allows 16 to 30 °C"), .cancelled, .expired,
        ] + UndeterminedReason.allCases.map { .undetermined($0) } + [.unknown]
    }

    func reported(_ state: ACState, _ version: UInt64) -> DeviceState {
        DeviceState(state: state, version: Version(version), incarnation: incarnation)
    }

    func row(
        _ reported: DeviceState, number: UInt64, isConnected: Bool = true, by cause: ChangeCause = .request,
        _ settings: DeviceSettings? = nil
    ) -> DeviceRow {
        DeviceRow(
            device: device, number: ChangeNumber(number), reported: reported, epoch: epoch,
            lastCommandNumber: CommandNumber(5), isConnected: isConnected, cause: cause,
            settings: settings)
    }

    /// All settings of a device.
    var settings: DeviceSettings {
        var settings = DeviceSettings()
        settings.climateReact = climateReact
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false), due: at, createdAt: at.advanced(by: .seconds(-1_800)))
        settings.filter = FilterStatus(
            cleanedAt: at, recordedSeconds: 7_200, recordedAt: at, secondsPerSecond: 600)
        settings.calibration = SensorCalibration(deciCelsius: -5, humidityPermille: 100)
        settings.pureBoost = PureBoost(sensitivity: .sensitive, integrations: [.measurements, .prime])
        settings.schedules = [
            DeviceSchedule(
                id: schedule, plan: plan, createdAt: at, due: at.advanced(by: .seconds(60)),
                calendarDue: at.advanced(by: .seconds(3_600))),
            DeviceSchedule(
                id: otherSchedule, plan: midnight, isEnabled: false, createdAt: at, due: at, calendarDue: at),
        ]
        return settings
    }

    /// Off at 22:15 from Monday to Friday in Oslo.
    var plan: SchedulePlan {
        SchedulePlan(change: ACStateChange(isOn: false), time: lateTime, weekdays: .working, zone: zone)
    }

    /// On at 00:00 every day in UTC.
    var midnight: SchedulePlan {
        SchedulePlan(change: ACStateChange(isOn: true), time: firstTime, weekdays: .all, zone: .utc)
    }

    var climateReact: ClimateReact {
        ClimateReact(
            measure: .feelsLike,
            low: .init(tenths: -15, change: ACStateChange(isOn: true, mode: .heat, targetTemperature: 21)),
            high: .init(tenths: 265, change: ACStateChange(isOn: false)))
    }

    /// Each change of settings, by its name.
    var settingChanges: [(String, SettingChange)] {
        let humid = ClimateReact(
            isEnabled: false, measure: .humidity, low: nil,
            high: .init(tenths: 600, change: ACStateChange(mode: .dry)))
        return [
            ("climate react", .climateReact(climateReact)),
            ("climate react by humidity", .climateReact(humid)),
            ("climate react on", .climateReactEnabled(true)),
            ("climate react off", .climateReactEnabled(false)),
            ("a timer", .timer(ACStateChange(isOn: false), afterSeconds: 1_800)), ("no timer", .noTimer),
            ("clean filters", .filterCleaned), ("threshold of filters", .filterThreshold(seconds: 720_000)),
            ("a schedule", .schedule(schedule, plan)),
            ("a schedule at midnight", .schedule(otherSchedule, midnight)),
            ("a schedule on", .scheduleEnabled(schedule, true)),
            ("a schedule off", .scheduleEnabled(schedule, false)), ("no schedule", .noSchedule(schedule)),
            ("a calibration", .calibration(deciCelsius: -5, humidityPermille: nil)),
            ("no calibration", .calibration(deciCelsius: 0, humidityPermille: 0)),
            ("pure boost", .pureBoost(PureBoost(sensitivity: .sensitive, integrations: [.geofence]))),
            ("no pure boost", .pureBoost(PureBoost(isEnabled: false))),
        ]
    }

    func report(_ outcome: Outcome, of command: CommandKind? = .toggle) -> OutcomeReport {
        OutcomeReport(
            requestID: requestID, device: device, outcome: outcome, user: email,
            versionBefore: before.version, attempts: 1, command: command,
            timing: .init(totalUs: 412, queueUs: 31, wireUs: 370))
    }

    var timedReport: OutcomeReport {
        OutcomeReport(
            requestID: requestID, device: device, outcome: .expired, user: email,
            versionBefore: before.version, attempts: 2,
            timing: .init(totalUs: 5_000, queueUs: 1_000, wireUs: 2_000, deviceUs: 300, journalUs: 400))
    }

    /// The outcome of a `cancel` for an ID that never arrived.
    var tombstone: OutcomeReport {
        OutcomeReport(requestID: requestID, device: nil, outcome: .cancelled, user: email)
    }

    /// A list of two active faults out of seven.
    var faultList: FaultList {
        FaultList(
            faults: [
                ActiveFault(
                    device: device, fault: .slow, remaining: .seconds(9), delay: .milliseconds(1_500)),
                ActiveFault(device: otherDevice, fault: .offline, remaining: .milliseconds(1)),
            ], total: 7)
    }

    var post: Post {
        Post(
            number: PostNumber(12), author: Author(number: AuthorNumber(1), email: email), writtenAt: at,
            title: "Leak in the hall", body: "Since Monday.\nWorse in heat.",
            subject: .device(device, name: "Bedroom 7"), comments: 2)
    }

    func snapshotNode(_ kind: Presence.Kind) -> SnapshotChunk.Node {
        SnapshotChunk.Node(index: NodeIndex(1), name: node, presence: Presence(kind, since: at))
    }

    var measured: [MeasuredDevice] {
        [
            MeasuredDevice(device: device, measurements: warm),
            MeasuredDevice(device: otherDevice, measurements: cold),
        ]
    }

    func snapshotRow(
        _ device: DeviceID, _ reported: DeviceState, name: String, group: UInt16 = 0,
        _ measurements: Measurements? = nil, by cause: ChangeCause = .request,
        _ settings: DeviceSettings? = nil
    ) -> SnapshotChunk.Row {
        SnapshotChunk.Row(
            device: device, name: name, node: NodeIndex(1), group: GroupNumber(group), reported: reported,
            isConnected: true, connectedSince: at, asOf: at, cause: cause,
            measured: measurements.map { SnapshotChunk.Measured($0, at: at) }, settings: settings)
    }
}

extension Outcome {
    /// Its name, with the reason if there is one.
    var text: String {
        if case .undetermined(let reason) = self { "undetermined, \(reason)" } else { name }
    }
}

extension Presence.Kind {
    /// Its name, with the reason if there is one.
    var text: String {
        if case .offline(let reason) = self { "offline, \(reason.name)" } else { name }
    }
}
