import FleetProtocol
import Stepping
import Wording

extension JSONWriter {
    /// One pod, with the keys that somebody asked for.
    ///
    /// Every key that a client cannot do without is there, and null only where clients take null. What is not
    /// simulated says what a pod without it says; nothing is made up.
    mutating func pod(
        _ pod: Pod, of account: AccountID, at sites: SiteRegister = SiteRegister(), fields: PodFields,
        now: WallTime
    ) {
        object { json in
            for field in fields.fields {
                switch pod.flaw(of: field) {
                case nil where field == .location:
                    json.key("location")
                    json.location(of: pod, account, sites, now)
                case nil: json.member(field, of: pod, now)
                case .null:
                    json.key(named: field.rawValue)
                    json.null()
                case .missing: break
                }
            }
        }
    }

    private mutating func member(_ field: PodField, of pod: Pod, _ now: WallTime) {
        key(named: field.rawValue)
        switch field {
        case .id: plain { pod.device.append(to: &$0) }
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
        case .smartMode: climateReact(of: pod)
        case .timer: timer(of: pod, now)
        case .schedules: schedules(of: pod, now)
        case .filtersCleaning: filters(of: pod, now)
        case .sensorsCalibration: calibration(of: pod)
        case .motionSensors: roomSensors(of: pod, now)
        case .mainMeasurementsSensor: mainSensor(of: pod, now)
        case .roomIsOccupied: occupancy(of: pod)
        case .pureBoostConfig: pureBoost(of: pod)
        case .shouldShowFilterCleaningNotification: bool(pod.settings?.filter?.shouldClean(at: now) ?? false)
        default: raw(field.absent)
        }
    }

    private mutating func room(of pod: Pod) {
        object { json in
            json.member("uid", ShortID(pod.device.bits, 1))
            json.member("name", pod.name.isEmpty ? pod.device.description : pod.name)
            json.member("icon", "Lounge")
            json.key("pureBoostConfig")
            json.pureBoost(of: pod)
        }
    }

    /// Whether it is there; a node that has been silent for a moment is not yet given up, as in the cloud.
    ///
    /// The reasons are those of recorded pods.
    mutating func connectionStatus(of pod: Pod, _ now: WallTime) {
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
            json.member("window", false)
        }
    }
}

extension Pod {
    /// What is wrong with a key of its object; nil where nothing is.
    fileprivate func flaw(of field: PodField) -> PodFlaw? {
        guard !flaws.isEmpty else { return nil }
        return CloudFault.PodKey(field).flatMap { flaws[$0] }
    }
}

extension CloudFault.PodKey {
    /// The key that a field is; nil where faults are never about that.
    init?(_ field: PodField) {
        guard let key = Self.allCases.first(where: { $0.name == field.rawValue }) else { return nil }
        self = key
    }
}

extension Presence {
    /// Whether Sensibo's cloud would say so.
    var isAlive: Bool {
        switch kind {
        case .online, .stale: true
        case .offline, .unknown: false
        }
    }
}

extension ProductModel {
    /// What its firmware runs on, as JSON; as recorded of real ones for Sky and Pure.
    fileprivate var firmwareType: StaticString {
        switch self {
        case .sky: "\"esp8266ex\""
        case .pure: "\"pure-esp32\""
        case .airPro: "\"airq-esp32\""
        case .elements: "\"elements-esp32\""
        }
    }
}
