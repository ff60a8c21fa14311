import FleetProtocol
import UserText

/// The pods of a file. A key has the value of the file while the fleet's value is the one that the fleet has
/// read there, and then the fleet's. Times that a value has are relative to now.
extension Pod {
    /// Returns the value of a key in the file; nil if it is not there, redacted, or the fleet has another.
    func recorded(_ field: PodField) -> JSONTree? {
        guard let record, let value = record[field.rawValue], value != PodRecord.redacted,
            // The list of schedules is compared one by one.
            field == .schedules && value.items != nil || !differs(field, from: record.pod),
            !isGone(field, from: record.pod)
        else { return nil }
        return value
    }

    /// Whether the fleet's value of a key is another than that of a pod at the start.
    func differs(_ field: PodField, from pod: InitialPod) -> Bool {
        switch field {
        case .acState: state != pod.state
        case .temperatureUnit: state.temperatureUnit != pod.state.temperatureUnit
        case .connectionStatus: presence.isAlive != pod.isOnline
        // The first report of a device may be recorded as a change.
        case .lastStateChange: changes.last != nil && reported.version > Version(1)
        case .lastStateChangeToOn: changes.toOn != nil
        case .lastStateChangeToOff: changes.toOff != nil
        case .smartMode: settings?.climateReact != pod.settings.climateReact
        case .timer: settings?.timer?.change != pod.timer?.change
        case .schedules: settings?.schedules.isEmpty == false
        case .filtersCleaning, .shouldShowFilterCleaningNotification:
            settings?.filter?.cleanedAt != pod.settings.filter?.cleanedAt
                || settings?.filter?.thresholdSeconds != pod.settings.filter?.thresholdSeconds
        case .sensorsCalibration: settings?.calibration != pod.settings.calibration
        case .pureBoostConfig: settings?.pureBoost != pod.settings.pureBoost
        default: false
        }
    }

    /// Whether the file has a timer that the fleet does not simulate, which a changed pod does not have.
    private func isGone(_ field: PodField, from pod: InitialPod) -> Bool {
        field == .timer && pod.timer == nil && reported.version > Version(1)
    }

    /// Whether the pod was connected since the start; one that was not has the times of the file.
    fileprivate var hasConnected: Bool { presence.isAlive || record?.pod.isOnline ?? true }

    /// The values of the room that were set at the last measurement; nil without any.
    fileprivate func sensed(_ now: PodTime) -> RoomForm.Sensed? {
        measured.flatMap { room[now.shown(Sample.time($0.at))] }
    }

    /// How far a measured temperature or humidity is from the one in the file, in tenths; 0 without one.
    fileprivate var moved: (deciCelsius: Int, permille: Int) {
        guard let values = measured?.measurements, let pod = record?.pod else { return (0, 0) }
        return (
            pod.deciCelsius.map { Int(values.deciCelsius) - Int($0) } ?? 0,
            pod.humidityPermille.map { Int(values.humidityPermille) - Int($0) } ?? 0
        )
    }

    /// The ID of a schedule in the API.
    func apiID(of schedule: ScheduleID) -> String {
        guard let item = recordedItem(of: schedule)?["id"], item != PodRecord.redacted else {
            return schedule.description
        }
        return item.text ?? schedule.description
    }

    private func recordedItem(of schedule: ScheduleID) -> JSONTree? {
        record?.schedules[schedule].flatMap { record?["schedules"]?.items?[$0] }
    }

    /// Writes a schedule as in the file, if it is the one of the file.
    func writeRecorded(_ schedule: DeviceSchedule, to json: inout JSONWriter, _ now: PodTime) -> Bool {
        let known = record?.pod.settings.schedules.first { $0.id == schedule.id }
        guard let known, known.plan == schedule.plan, let item = recordedItem(of: schedule.id) else {
            return false
        }
        var edits: PodCopy.Edits = [
            "id": { $0.string(apiID(of: schedule.id)) }, "isEnabled": { $0.bool(schedule.isEnabled) },
        ]
        if schedule.isEnabled {
            edits["nextTime"] = { $0.naive(schedule.calendarDue) }
            edits["nextTimeSecondsFromNow"] = { $0.integer(now.seconds(untilShown: schedule.calendarDue)) }
        }
        let place = record?.schedules[schedule.id] ?? 0
        json.copy(item, as: PodCopy(pod: self, now: now, field: "schedules"), "", place, edits)
        return true
    }
}

/// The pod, the time and the key of a value that is copied from a file.
struct PodCopy {
    typealias Edits = [String: (inout JSONWriter) -> Void]

    let pod: Pod
    let now: PodTime
    let field: String

    /// The seconds of a key such as `secondsAgo` from the time beside it; nil for other keys and values.
    fileprivate func seconds(_ key: String, in object: JSONTree) -> Int64? {
        let ago = key.hasSuffix("SecondsAgo")
        let name = key == "secondsAgo" ? "time" : String(key.dropLast(ago ? 10 : 14))
        guard ago || key == "secondsAgo" || key.hasSuffix("SecondsFromNow"),
            let time = object[name]?.text.flatMap(TimeText.moment(ofAPI:))
        else { return nil }
        let seconds = now.seconds(untilShown: time)
        return key.hasSuffix("FromNow") ? seconds : -seconds
    }

    /// Writes an identifier in the place of a redacted one: the same for the same pod, key and place.
    fileprivate func invent(_ key: String, _ place: Int, to json: inout JSONWriter) {
        let sensor = PodIdentity(ofRoomSensorAt: pod.device)
        switch key {
        case "podUid", "deviceUid", "parentDeviceUid": pod.writeID(to: &json)
        case "macAddress": json.plain { sensor.appendMACAddress(to: &$0) }
        case "serial": json.plain { sensor.appendSerial(to: &$0) }
        default:
            let source = field == "mainMeasurementsSensor" ? "motionSensors" : field
            let salt = "\(source).\(key)".utf8.reduce(UInt64(place)) {
                SeededGenerator.mixed($0 ^ UInt64($1))
            }
            ShortID(pod.device.bits, salt).write(to: &json)
        }
    }
}

extension JSONWriter {
    /// Writes the keys of a pod of a file, in its order, and then those that the fleet has changed.
    mutating func members(
        of pod: Pod, in record: PodRecord, fields: PodFields, hasSite: Bool, _ now: PodTime,
        simulated: (inout JSONWriter, PodField) -> Void
    ) {
        for member in record.fields where fields.contains(member.key) {
            guard let field = PodField(rawValue: member.key) else {
                key(named: member.key)
                copy(member.value, as: PodCopy(pod: pod, now: now, field: member.key), member.key)
                continue
            }
            let isSimulated = pod.recorded(field) == nil || field == .location && hasSite
            guard !isSimulated, pod.flaw(of: field) == nil else {
                simulated(&self, field)
                continue
            }
            key(named: member.key)
            recorded(field, member.value, of: pod, now)
        }
        for field in fields.fields where record[field.rawValue] == nil && pod.differs(field, from: record.pod)
        {
            simulated(&self, field)
        }
    }

    /// Writes the value of a key from the file.
    mutating func recorded(_ field: PodField, _ value: JSONTree, of pod: Pod, _ now: PodTime) {
        let context = PodCopy(pod: pod, now: now, field: field.rawValue)
        func copy(_ edits: PodCopy.Edits = [:]) { self.copy(value, as: context, field.rawValue, 0, edits) }
        switch field {
        case .id: pod.writeID(to: &self)
        case .room where pod.name != pod.record?.pod.name: copy(["name": { $0.string(pod.name) }])
        case .acState where pod.hasConnected:
            copy(["timestamp": { $0.moment(pod.changes.last ?? pod.asOf, now: now) }])
        case .connectionStatus where pod.presence.isAlive:
            copy(["lastSeen": { $0.moment(pod.lastSeen, now: now) }])
        case .measurements: copy(measurements(of: pod, now))
        case .mainMeasurementsSensor: sensor(value, context, 0)
        case .motionSensors where value.items != nil:
            array {
                for (place, item) in (value.items ?? []).enumerated() { $0.sensor(item, context, place) }
            }
        case .timer:
            guard let timer = pod.settings?.timer else { return copy() }
            copy([
                "createTime": { json in timer.createdAt.map { json.naive(now.shown($0)) } ?? json.null() },
                "createTimeSecondsAgo": { json in
                    timer.createdAt.map { json.integer(now.seconds(since: $0)) } ?? json.null()
                },
                "targetTime": { $0.naive(now.shown(timer.due)) },
                "targetTimeSecondsFromNow": { $0.integer(now.seconds(untilShown: now.shown(timer.due))) },
            ])
        case .schedules where value.items != nil: schedules(value.items ?? [], context)
        case .roomIsOccupied:
            guard let isOccupied = pod.sensed(now)?.isOccupied else { return copy() }
            bool(isOccupied)
        case .filtersCleaning where pod.settings?.filter != nil:
            let seconds = pod.filterSeconds(at: now)
            var edits: PodCopy.Edits = ["acOnSecondsSinceLastFiltersClean": { $0.integer(Int64(seconds)) }]
            let threshold = pod.settings?.filter?.thresholdSeconds ?? .max
            if seconds >= Double(threshold) { edits["shouldCleanFilters"] = { $0.bool(true) } }
            copy(edits)
        default: copy()
        }
    }

    /// Writes the schedules of the file that users have not removed, and those that they have added.
    private mutating func schedules(_ items: [JSONTree], _ context: PodCopy) {
        let places = context.pod.record?.schedules ?? [:]
        let ids = Dictionary(uniqueKeysWithValues: places.map { ($1, $0) })
        let current = context.pod.settings?.schedules ?? []
        array { json in
            for (place, item) in items.enumerated() {
                guard let id = ids[place] else {
                    json.copy(item, as: context, "schedules", place)
                    continue
                }
                if let schedule = current.first(where: { $0.id == id }) {
                    context.pod.write(schedule, to: &json, at: context.now)
                }
            }
            for schedule in current where places[schedule.id] == nil {
                context.pod.write(schedule, to: &json, at: context.now)
            }
        }
    }

    /// Writes a room sensor, which measures whenever the pod does. It becomes as much warmer and more humid
    /// as the pod.
    private mutating func sensor(_ value: JSONTree, _ context: PodCopy, _ place: Int) {
        let (pod, now) = (context.pod, context.now)
        guard let measured = pod.measured, pod.hasConnected else {
            return copy(value, as: context, context.field, place)
        }
        let time: (inout JSONWriter) -> Void = { $0.moment(measured.at, now: now) }
        let known = value["measurements"] ?? .null
        var measurements = edits(by: pod.sensed(now), of: pod, now)
        measurements["time"] = time
        if let celsius = known["temperature"]?.tenths, pod.moved.deciCelsius != 0 {
            measurements["temperature"] = { $0.tenths(Int(celsius) + pod.moved.deciCelsius) }
        }
        if let percent = known["humidity"]?.tenths, pod.moved.permille != 0 {
            measurements["humidity"] = { $0.tenths(min(max(Int(percent) + pod.moved.permille, 0), 1_000)) }
        }
        var edits: PodCopy.Edits = [
            "measurements": { $0.copy(known, as: context, "measurements", place, measurements) }
        ]
        if let status = value["connectionStatus"], status["isAlive"]?.flag != false {
            edits["connectionStatus"] = { $0.copy(status, as: context, "", place, ["lastSeen": time]) }
        }
        copy(value, as: context, context.field, place, edits)
    }

    /// What a measurement of a file has from the fleet: its time and, once the air has changed, the values.
    private func measurements(of pod: Pod, _ now: PodTime) -> PodCopy.Edits {
        guard let measured = pod.measured, pod.hasConnected else { return [:] }
        var edits = edits(by: pod.sensed(now), of: pod, now)
        edits["time"] = { $0.moment(measured.at, now: now) }
        guard pod.moved != (0, 0) else { return edits }
        let values = measured.measurements
        edits["temperature"] = { $0.tenths(Int(values.deciCelsius)) }
        edits["humidity"] = { $0.tenths(Int(values.humidityPermille)) }
        edits["feelsLike"] = { $0.tenths(Int(values.feelsLikeDeciCelsius)) }
        edits["rssi"] = { $0.integer(values.rssiDBm) }
        return edits
    }

    /// The values that are set of a room, which replace those of the file.
    private func edits(by set: RoomForm.Sensed?, of pod: Pod, _ now: PodTime) -> PodCopy.Edits {
        guard let set else { return [:] }
        var edits: PodCopy.Edits = [:]
        if let motion = set.motion { edits["motion"] = { $0.bool(motion) } }
        if let isOccupied = set.isOccupied { edits["roomIsOccupied"] = { $0.bool(isOccupied) } }
        let air = AirQuality(in: SimulatedRoom(of: pod.device), at: now.shown, set: set)
        for quantity in AirQuantity.measured(by: pod.model) where quantity.isSet(by: set) {
            edits["\(quantity.name)"] = { $0.value(of: quantity, in: air) }
        }
        return edits
    }

    /// Writes a value of a file, with invented identifiers for redacted ones, the seconds since and until its
    /// times from now, and the values of some keys of an object replaced.
    mutating func copy(
        _ value: JSONTree, as context: PodCopy, _ key: String, _ place: Int = 0, _ edits: PodCopy.Edits = [:]
    ) {
        switch value {
        case PodRecord.redacted: context.invent(key, place, to: &self)
        case .array(let items):
            array { json in
                for (place, item) in items.enumerated() { json.copy(item, as: context, key, place) }
            }
        case .object(let members):
            object { json in
                for member in members {
                    json.key(named: member.key)
                    if let edit = edits[member.key] {
                        edit(&json)
                    } else if let seconds = context.seconds(member.key, in: value) {
                        json.integer(seconds)
                    } else {
                        json.copy(member.value, as: context, member.key, place)
                    }
                }
            }
        case .null, .bool, .number, .string: value.write(to: &self)
        }
    }
}
