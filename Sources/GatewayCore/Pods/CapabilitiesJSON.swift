import FleetProtocol

/// The `remoteCapabilities` of each model and air conditioner: they are the largest part of a pod, and never
/// change.
enum CapabilitiesJSON {
    private static let byModel = Dictionary(
        uniqueKeysWithValues: ProductModel.allCases.map { ($0, bytes(of: $0.capabilities())) })
    private static let byAirConditioner = Dictionary(
        uniqueKeysWithValues: AirConditionerKind.allCases.map { ($0, bytes(of: $0.capabilities)) })

    /// Those of a pod; an object without modes where it cannot be set to anything: openHAB fails at null.
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
    fileprivate mutating func mode(
        _ mode: Capabilities.ModeCapabilities, nativeUnit: TemperatureUnit
    ) {
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

    /// What a setting can be; the key is not there where it cannot be set.
    private mutating func names<Setting: ACSetting>(_ name: StaticString, _ settings: [Setting]) {
        guard !settings.isEmpty else { return }
        array(name) { json in
            for setting in settings { json.string(setting.name) }
        }
    }
}
