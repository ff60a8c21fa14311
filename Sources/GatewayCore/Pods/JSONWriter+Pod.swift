import FleetProtocol
import UserText

extension JSONWriter {
    /// Writes a pod object, with the requested keys. Every key that a client requires is present, and null
    /// only where clients accept null. A feature that is not simulated has the value of a pod without that
    /// feature.
    mutating func pod(
        _ pod: Pod, of account: AccountID, at sites: SiteRegister = SiteRegister(), fields: PodFields,
        now: PodTime
    ) {
        func member(_ json: inout JSONWriter, _ field: PodField) {
            switch pod.flaw(of: field) {
            case nil where field == .location:
                json.key("location")
                json.location(of: pod, account, sites, now)
            case nil:
                json.key(named: field.rawValue)
                json.simulated(field, of: pod, now)
            case .null:
                json.key(named: field.rawValue)
                json.null()
            case .missing: break
            }
        }
        object { json in
            guard let record = pod.record else { return fields.fields.forEach { member(&json, $0) } }
            let place = sites.place(of: pod.device, reported: pod.group?.site ?? "", in: account)
            json.members(
                of: pod, in: record, fields: fields, hasSite: place.profile != nil, now, simulated: member)
        }
    }

    /// Writes the value of a key.
    mutating func value(_ field: PodField, of pod: Pod, _ now: PodTime) {
        guard let value = pod.recorded(field) else { return simulated(field, of: pod, now) }
        recorded(field, value, of: pod, now)
    }

    private mutating func simulated(_ field: PodField, of pod: Pod, _ now: PodTime) {
        switch field {
        case .id: pod.writeID(to: &self)
        case .macAddress: plain { PodIdentity(of: pod.device).appendMACAddress(to: &$0) }
        case .serial: plain { PodIdentity(of: pod.device).appendSerial(to: &$0) }
        case .qrId: plain { PodIdentity(of: pod.device).appendQRCode(to: &$0) }
        case .room: room(of: pod)
        case .productModel: string(pod.model.rawValue)
        case .firmwareVersion: string(pod.group?.firmware ?? "")
        case .currentlyAvailableFirmwareVersion: string(pod.availableFirmware)
        case .firmwareType: raw(pod.model.firmwareType)
        case .temperatureUnit: string(pod.state.temperatureUnit.letter)
        case .connectionStatus: connectionStatus(of: pod, now)
        case .acState: acState(pod.state, by: pod.capabilities, at: (pod.changes.last ?? pod.asOf, now))
        case .lastStateChange: moment(pod.changes.last, now: now)
        case .lastStateChangeToOn: moment(pod.changes.toOn, now: now)
        case .lastStateChangeToOff: moment(pod.changes.toOff, now: now)
        case .measurements: measurements(of: pod, now)
        case .remoteCapabilities: raw(CapabilitiesJSON.of(pod))
        case .remote: remote(of: pod)
        case .smartMode: pod.writeClimateReact(to: &self)
        case .timer: pod.writeTimer(to: &self, at: now)
        case .schedules: pod.writeSchedules(to: &self, at: now)
        case .filtersCleaning: pod.writeFilters(to: &self, at: now)
        case .sensorsCalibration: pod.writeCalibration(to: &self)
        case .motionSensors: roomSensors(of: pod, now)
        case .mainMeasurementsSensor: mainSensor(of: pod, now)
        case .roomIsOccupied: occupancy(of: pod, now)
        case .pureBoostConfig: pod.writePureBoost(to: &self)
        case .homekitSupported: bool(pod.model.supportsHomeKit)
        case .shouldShowFilterCleaningNotification: bool(pod.shouldCleanFilters(at: now))
        default: raw(field.absent)
        }
    }

    private mutating func room(of pod: Pod) {
        object { json in
            json.member("uid", ShortID(pod.device.bits, 1))
            json.member("name", pod.name.isEmpty ? pod.device.description : pod.name)
            json.member("icon", "Lounge")
            json.key("pureBoostConfig")
            pod.writePureBoost(to: &json)
        }
    }

    /// Writes whether the pod is online; as in the cloud, a stale node still counts as online. The reasons
    /// are those of recorded pods.
    mutating func connectionStatus(of pod: Pod, _ now: PodTime) {
        object { json in
            json.member("isAlive", pod.presence.isAlive)
            json.member("lastSeen", time: pod.lastSeen, now: now)
            switch pod.presence.kind {
            case .online, .stale: break
            case .offline(.disconnected):
                json.member("deadReasons", raw: "[\"disconnected:unexpectedDisconnection\"]")
            case .offline(.nodeLeft), .unknown: json.member("deadReasons", raw: "[\"staleConnection\"]")
            case .offline(.nodeLost):
                json.member(
                    "deadReasons", raw: "[\"staleConnection\",\"disconnected:unexpectedDisconnection\"]")
            }
        }
    }

    private mutating func remote(of pod: Pod) {
        object { json in
            json.member("toggle", pod.group?.remote == .toggle)
            json.member("window", pod.group?.airConditioner == .window)
        }
    }
}

extension CloudFault.PodKey {
    /// The key that a fault can affect; nil for all other fields.
    init?(_ field: PodField) {
        guard let key = Self.allCases.first(where: { $0.name == field.rawValue }) else { return nil }
        self = key
    }
}

extension Presence {
    /// Whether Sensibo's cloud shows a pod with this presence as alive.
    var isAlive: Bool {
        switch kind {
        case .online, .stale: true
        case .offline, .unknown: false
        }
    }
}

extension ProductModel {
    fileprivate var supportsHomeKit: Bool {
        switch self {
        case .airPro, .pure: true
        case .sky, .elements: false
        }
    }

    /// The type of its firmware, as JSON; recorded from real devices except for Air Pro.
    fileprivate var firmwareType: StaticString {
        switch self {
        case .sky: "\"esp8266ex\""
        case .pure: "\"pure-esp32\""
        case .airPro: "\"airq-esp32\""
        case .elements: "\"elements-esp32\""
        }
    }
}

extension JSONWriter {
    /// Writes a pod's site, with its profile. A site without coordinates is at 0, 0, as clients require two
    /// numbers.
    mutating func location(of pod: Pod, _ account: AccountID, _ sites: SiteRegister, _ now: PodTime) {
        let place = sites.place(of: pod.device, reported: pod.group?.site ?? "", in: account)
        let profile = place.profile
        object { json in
            json.key("id")
            json.plain { place.id.append(to: &$0) }
            json.member("name", place.name.isEmpty ? account.name : place.name)
            json.key("latLon")
            json.raw(Array("[\(profile?.coordinates?.description ?? "0,0")]".utf8))
            json.array("address") { json in
                for line in profile?.address ?? [] { json.string(line) }
            }
            json.member("country", profile?.country.flatMap(CountryNames.name(of:)))
            json.member("countryAlpha2", profile?.country?.letters)
            json.member("city", profile?.city.isEmpty == false ? profile?.city : nil)
            json.member("timezone", profile?.timeZone?.text)
            json.member("createTime", nil)
            json.member("updateTime", nil)
            json.member("features", raw: "[]")
            json.member("geofenceTriggerRadius", 200)
            json.member("subscription", nil)
            json.member("shareAnalytics", false)
            json.member("tariff", nil)
            json.member("currency", nil)
            json.member("occupancy", LocationPresence(at: place.id).word(at: now.shown))
        }
    }

    /// Writes an AC state: the keys that its mode has, and a timestamp if `timestamp` is given. A target in
    /// another unit than the remote's is followed by the degrees that the remote sends.
    mutating func acState(
        _ state: ACState, by capabilities: Capabilities, at timestamp: (time: WallTime, now: PodTime)? = nil,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        object { json in
            if let timestamp { json.member("timestamp", time: timestamp.time, now: timestamp.now) }
            for property in state.properties(by: capabilities) { json.member(property, of: state) }
            more(&json)
            let unit = capabilities.nativeUnit
            guard state.temperatureUnit != unit,
                let native = capabilities[state.mode]?.temperatures[unit], let least = native.first,
                let most = native.last
            else { return }
            let degrees = unit.degrees(from: state.targetTemperature, in: state.temperatureUnit)
            json.member("nativeTargetTemperature", min(max(degrees, least), most))
            json.member("nativeTemperatureUnit", unit.letter)
        }
    }

    private mutating func member(_ property: ACProperty, of state: ACState) {
        switch property {
        case .on: member("on", state.isOn)
        case .mode: member("mode", SettingNames.of(state.mode))
        case .targetTemperature: member("targetTemperature", state.targetTemperature)
        case .temperatureUnit: member("temperatureUnit", state.temperatureUnit.letter)
        case .fanLevel: member("fanLevel", SettingNames.of(state.fanLevel))
        case .swing: member("swing", SettingNames.of(state.swing))
        case .horizontalSwing: member("horizontalSwing", SettingNames.of(state.horizontalSwing))
        case .light: member("light", SettingNames.of(state.light))
        }
    }
}

/// The `remoteCapabilities` of each model and air conditioner as encoded JSON: they are the largest part of a
/// pod object and never change.
enum CapabilitiesJSON {
    private static let byModel = Dictionary(
        uniqueKeysWithValues: ProductModel.allCases.map { ($0, bytes(of: $0.capabilities())) })
    private static let byAirConditioner = Dictionary(
        uniqueKeysWithValues: AirConditionerKind.allCases.map { ($0, bytes(of: $0.capabilities)) })

    /// Returns those of a pod; a pod without settings has an object without modes, as openHAB fails at null.
    static func of(_ pod: Pod) -> [UInt8] {
        let known =
            pod.model.switchesAirConditioner
            ? byAirConditioner[pod.group?.airConditioner ?? .split] : byModel[pod.model]
        return known ?? bytes(of: pod.capabilities)
    }

    private static func bytes(of capabilities: Capabilities) -> [UInt8] {
        var json = JSONWriter()
        let modes = ACMode.allCases.compactMap { mode in capabilities[mode].map { (mode, $0) } }
        json.object { json in
            json.object("modes") { json in
                for (mode, allowed) in modes {
                    json.key(named: mode.name)
                    json.mode(allowed, nativeUnit: capabilities.nativeUnit)
                }
            }
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func mode(_ mode: Capabilities.ModeCapabilities, nativeUnit: TemperatureUnit) {
        object { json in
            json.object("temperatures") { json in
                for unit in TemperatureUnit.allCases {
                    guard let degrees = mode.temperatures[unit] else { continue }
                    json.key(named: unit.letter)
                    json.degrees(degrees, isNative: unit == nativeUnit)
                }
            }
            json.names("fanLevels", mode.fanLevels)
            json.names("swing", mode.swings)
            json.names("horizontalSwing", mode.horizontalSwings)
            json.names("light", mode.lights)
        }
    }

    private mutating func degrees(_ values: [Int8], isNative: Bool) {
        object { json in
            json.member("isNative", isNative)
            json.array("values") { json in
                for degrees in values { json.integer(Int64(degrees)) }
            }
        }
    }

    /// Writes the values of a setting; a setting without values has no key.
    private mutating func names<Setting: ACSetting>(_ name: StaticString, _ settings: [Setting]) {
        guard !settings.isEmpty else { return }
        array(name) { json in
            for setting in settings { json.string(setting.name) }
        }
    }
}
