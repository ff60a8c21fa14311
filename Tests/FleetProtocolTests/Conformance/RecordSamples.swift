import FleetProtocol

/// A value of each record in files, with every case of every enum, and every optional field once.
enum RecordSamples {
    static let all: [(name: String, value: any Recordable)] = {
        var samples: [(String, any Recordable)] = [
            ("WallTime", late), ("Incarnation", incarnation), ("RequestID", requestID), ("DeviceID", device),
            ("Version", Version(Limits.largestOrdinal)), ("CommandNumber", CommandNumber(258)),
            ("Epoch", Epoch(3)), ("ACState", state), ("ACState.asBuilt", built), ("DeviceState", reported),
            ("Expectation", Expectation(incarnation: incarnation, version: Version(9))),
            (
                "CommandIdentity",
                CommandIdentity(
                    device: device, incarnation: incarnation, commandNumber: CommandNumber(5),
                    requestID: requestID)
            ),
            ("ACStateChange", change), ("ACStateChange.none", ACStateChange()),
            ("DeviceSettings", settings), ("DeviceSettings.none", DeviceSettings()),
            ("OutcomeReport", report), ("QueueReport", commandQueue),
        ]
        if let account = AccountID("home") { samples.append(("AccountID", account)) }
        samples.append(("Email", user))
        samples += kinds.enumerated().map { ("Command.Kind.\($0 + 1)", $1) }
        samples += outcomes.enumerated().map { ("Outcome.\($0 + 1)", $1) }
        samples += verdicts.enumerated().map { ("Verdict.\($0 + 1)", $1) }
        samples += settingChanges.enumerated().map { ("SettingChange.\($0 + 1)", $1) }
        samples += ChangeCause.allCases.map { ("ChangeCause.\($0)", $0) }
        return samples
    }()

    private static let late = WallTime(unixMilliseconds: -2)
    private static let incarnation = Incarnation(bits: 0x0102_0304_0506_0708)
    private static let requestID = RequestID(high: 0x019a_b000_0000_7001, low: 0x8000_0000_0000_0002)
    private static let device = DeviceID(fleetSeed: 1, index: 0)
    private static let built = ACState(isOn: true, mode: .heat, targetTemperature: -5, fanLevel: .high)
    private static let state = ACState(
        isOn: false, mode: .fan, targetTemperature: 72, temperatureUnit: .fahrenheit, fanLevel: .low,
        swing: .both, horizontalSwing: .fixedLeft, light: .off)
    private static let reported = DeviceState(state: built, version: Version(700), incarnation: incarnation)
    private static let change = ACStateChange(
        isOn: true, mode: .dry, targetTemperature: -1, temperatureUnit: .fahrenheit, fanLevel: .auto,
        swing: .rangeFull, horizontalSwing: .both, light: .off)
    private static let plan: SchedulePlan = {
        guard let zone = TimeZoneName("Europe/Berlin"), let time = LocalTime("23:59") else {
            preconditionFailure("a time zone and a time of day")
        }
        return SchedulePlan(change: change, time: time, weekdays: .working, zone: zone)
    }()
    private static let settings: DeviceSettings = {
        var settings = DeviceSettings()
        settings.climateReact = ClimateReact(
            measure: .humidity, low: .init(tenths: -5, change: change), high: nil)
        settings.timer = DeviceTimer(change: change, due: late, createdAt: WallTime(unixMilliseconds: 4))
        settings.filter = FilterStatus(
            cleanedAt: late, thresholdSeconds: 3_600, recordedSeconds: 1.5, recordedAt: late,
            secondsPerSecond: 60)
        settings.schedules = [
            DeviceSchedule(
                id: ScheduleID(randomBits: 7), plan: plan, isEnabled: false, createdAt: late, due: late,
                calendarDue: WallTime(unixMilliseconds: 1))
        ]
        settings.calibration = SensorCalibration(deciCelsius: -100, humidityPermille: 99)
        settings.pureBoost = PureBoost(sensitivity: .sensitive, integrations: [.prime, .measurements])
        return settings
    }()
    private static let user: Email = {
        guard let user = Email("user@example.com") else { preconditionFailure("an email") }
        return user
    }()
    private static let report = OutcomeReport(
        requestID: requestID, device: nil, outcome: .applied(reported), user: user,
        versionBefore: Version(699), attempts: 2, command: .toggle,
        timing: OutcomeReport.Timing(totalUs: 1_000, queueUs: 20, wireUs: 400, deviceUs: 100, journalUs: 200))
    private static let kinds: [Command.Kind] = [
        .toggle, .set(change), .correct(ACStateChange(mode: .cool)), .configure(.noTimer),
    ]
    private static let outcomes: [Outcome] = [
        .applied(reported), .unchanged(reported), .conflict(reported), .rejected("no such mode"), .cancelled,
        .expired, .undetermined(.superseded), .unknown,
    ]
    private static let verdicts: [Verdict] = [
        .applied, .unchanged, .conflict, .rejected("no such mode"), .expired, .aborted, .staleIncarnation,
        .staleEpoch, .staleCommandNumber, .commandNumberTaken,
    ]
    private static let settingChanges: [SettingChange] = [
        .climateReact(ClimateReact(isEnabled: false, low: nil, high: .init(tenths: 260, change: change))),
        .climateReactEnabled(true), .timer(change, afterSeconds: 86_400), .noTimer, .filterCleaned,
        .filterThreshold(seconds: 3_600), .schedule(ScheduleID(randomBits: 7), plan),
        .scheduleEnabled(ScheduleID(randomBits: 7), false), .noSchedule(ScheduleID(randomBits: 8)),
        .calibration(deciCelsius: nil, humidityPermille: 100), .pureBoost(PureBoost(isEnabled: false)),
    ]
    private static let commandQueue: QueueReport = {
        let commands = ["first", "second", "third", "last"].map {
            QueueCommand(label: $0, device: device, kind: .toggle, takes: .seconds(2))
        }
        guard let plan = try? QueuePlan(commands: commands, onFailure: .stop) else {
            preconditionFailure("a plan of four commands")
        }
        return QueueReport(
            id: requestID, plan: plan, author: user, startedAt: late, state: .failed,
            endedAt: WallTime(unixMilliseconds: 5),
            progress: [
                .ended(requestID, QueuedOutcome(.rejected, "no such mode", at: late)), .running(requestID),
                .waiting, .skipped,
            ])
    }()
}
