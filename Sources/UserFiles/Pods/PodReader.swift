import FleetProtocol
import UserText

/// Reads pods from the objects of Sensibo's API, and collects all problems.
struct PodReader {
    var findings = Findings()
    /// The pod that is read, for messages: `pod 2 (Kitchen)`.
    private var place = ""
    /// The names of the pods before, as names are compared.
    private var names: Set<String> = []

    /// Reads the pods of an answer, of a list, or of the diagnostics of Home Assistant's integration.
    mutating func records(_ root: JSONTree) -> [PodRecord] {
        let answer = root["data"]?["raw"] ?? root["data"] ?? root
        guard let pods = answer.items ?? answer["result"]?.items, !pods.isEmpty else {
            findings.add(
                .file, found: "no pods",
                allowed:
                    "the answer to users/me/pods?fields=*, or diagnostics of Home Assistant's integration")
            return []
        }
        guard pods.count <= PodFile.podsAtMost else {
            findings.add(
                .file, found: "\(FigureText.count(pods.count)) pods",
                allowed: "at most \(FigureText.count(PodFile.podsAtMost))")
            return []
        }
        var ids: Set<String> = []
        return pods.enumerated().compactMap { place, pod in
            let name = pod["room"]?["name"]?.text.map { " (\(SafeText.of(String($0.prefix(40)))))" } ?? ""
            self.place = "pod \(place + 1)\(name)"
            guard let record = record(pod, place) else { return nil }
            if let id = record.id, !ids.insert(id).inserted {
                refuse("id", .string(id), "each ID once")
                return nil
            }
            return record
        }
    }

    private mutating func record(_ fields: JSONTree, _ place: Int) -> PodRecord? {
        guard fields["acState"] != nil else {
            refuse("acState", nil, "complete pods: ask for them with fields=*")
            return nil
        }
        guard let id = fields["id"]?.text, fields["id"] == PodRecord.redacted || Self.isID(id) else {
            refuse("id", fields["id"], "1 to 32 letters and digits")
            return nil
        }
        let model = fields["productModel"]?.text.flatMap(ProductModel.init(rawValue:)) ?? .sky
        let capabilities = capabilities(fields["remoteCapabilities"], of: model)
        let name = unused(SafeText.stored(fields["room"]?["name"]?.text ?? ""), place)
        var pod = InitialPod(
            name: name, group: group(fields, model, capabilities.nativeUnit), capabilities: capabilities,
            state: state(fields, by: capabilities))
        pod.isOnline = fields["connectionStatus"]?["isAlive"]?.flag ?? true
        let (celsius, percent) = (fields["measurements"]?["temperature"], fields["measurements"]?["humidity"])
        pod.deciCelsius = celsius?.tenths.flatMap { Measurements.deciCelsiusBounds.contains($0) ? $0 : nil }
        pod.humidityPermille = percent?.tenths.flatMap {
            UInt16(exactly: $0).flatMap { Measurements.humidityPermilleBounds.contains($0) ? $0 : nil }
        }
        let schedules = readSettings(fields, id, into: &pod)
        return PodRecord(
            place: place, id: fields["id"] == PodRecord.redacted ? nil : id, pod: pod, fields: fields.members,
            schedules: schedules)
    }

    /// Returns the name of a device, with a number behind it if a pod before has the name.
    private mutating func unused(_ name: String, _ place: Int) -> String {
        let label = name.isEmpty ? "Pod \(place + 1)" : name
        var (unused, number) = (SafeText.stored(label.cut(toBytes: Limits.nameBytes)), 1)
        while !names.insert(SafeText.folded(unused)).inserted {
            number += 1
            unused = "\(SafeText.stored(label.cut(toBytes: Limits.nameBytes - 10))) (\(number))"
        }
        return unused
    }

    private static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private func group(_ fields: JSONTree, _ model: ProductModel, _ unit: TemperatureUnit) -> DeviceGroup {
        let isWindow = fields["remote"]?["window"]?.flag ?? false
        let site = SafeText.stored((fields["location"]?["name"]?.text ?? "").cut(toBytes: Limits.nameBytes))
        return DeviceGroup(
            model: model, site: site.isEmpty ? "Home" : site,
            firmware: (fields["firmwareVersion"]?.text ?? "").cut(toBytes: Limits.nameBytes),
            remote: fields["remote"]?["toggle"]?.flag ?? false ? .toggle : .discrete,
            airConditioner: isWindow ? .window : unit == .fahrenheit ? .fahrenheit : .split)
    }

    mutating func refuse(_ key: String, _ value: JSONTree?, _ allowed: String) {
        let text = String(decoding: JSONWriter.bytes(of: value), as: UTF8.self)
        findings.add(
            Place(line: nil, column: nil, path: "\(place), \(key)"),
            found: value == nil ? "no value" : String(text.prefix(40)), allowed: allowed)
    }
}

// MARK: What the remote can do

extension PodReader {
    private mutating func capabilities(_ value: JSONTree?, of model: ProductModel) -> Capabilities {
        guard let modes = value?["modes"] else {
            return model.switchesAirConditioner ? Capabilities(modes: [:]) : model.capabilities()
        }
        var unit = TemperatureUnit.celsius
        var known: [ACMode: Capabilities.ModeCapabilities] = [:]
        for member in modes.members {
            let key = "remoteCapabilities.modes.\(SafeText.of(String(member.key.prefix(40))))"
            guard let mode: ACMode = setting(key, .string(member.key)) else { continue }
            let allowed = member.value
            var temperatures: [TemperatureUnit: [Int8]] = [:]
            for scale in TemperatureUnit.allCases {
                guard let values = allowed["temperatures"]?[scale.letter] else { continue }
                let targets = (values["values"]?.items ?? []).compactMap {
                    degrees("\(key).temperatures.\(scale.letter)", $0)
                }
                if !targets.isEmpty { temperatures[scale] = targets.sorted() }
                if scale == .fahrenheit, values["isNative"]?.flag == true { unit = .fahrenheit }
            }
            known[mode] = Capabilities.ModeCapabilities(
                temperatures: temperatures, fanLevels: settings("\(key).fanLevels", allowed["fanLevels"]),
                swings: settings("\(key).swing", allowed["swing"]),
                horizontalSwings: settings("\(key).horizontalSwing", allowed["horizontalSwing"]),
                lights: settings("\(key).light", allowed["light"]))
        }
        return Capabilities(modes: known, nativeUnit: unit)
    }

    private mutating func settings<Setting: ACSetting>(_ key: String, _ value: JSONTree?) -> [Setting] {
        (value?.items ?? []).compactMap { setting(key, $0) }
    }

    private mutating func setting<Setting: ACSetting>(_ key: String, _ value: JSONTree?) -> Setting? {
        guard let value, value != .null else { return nil }
        if let setting = value.text.flatMap(Setting.init(name:)) { return setting }
        refuse(key, value, Setting.allCases.map(\.name).joined(separator: ", "))
        return nil
    }

    private mutating func degrees(_ key: String, _ value: JSONTree?) -> Int8? {
        guard let value, value != .null else { return nil }
        if let degrees = value.number.flatMap({ Int8(exactly: $0) }) { return degrees }
        refuse(key, value, "whole degrees from -128 to 127")
        return nil
    }

    // MARK: States

    /// Reads an AC state as a change, without the settings that are missing or null.
    mutating func change(_ key: String, _ state: JSONTree?) -> ACStateChange {
        ACStateChange(
            isOn: state?["on"]?.flag, mode: setting("\(key).mode", state?["mode"]),
            targetTemperature: degrees("\(key).targetTemperature", state?["targetTemperature"]),
            temperatureUnit: unit(state), fanLevel: setting("\(key).fanLevel", state?["fanLevel"]),
            swing: setting("\(key).swing", state?["swing"]),
            horizontalSwing: setting("\(key).horizontalSwing", state?["horizontalSwing"]),
            light: setting("\(key).light", state?["light"]))
    }

    private func unit(_ fields: JSONTree?) -> TemperatureUnit? {
        TemperatureUnit.allCases.first { $0.letter == fields?["temperatureUnit"]?.text }
    }

    /// Reads the state of a pod; a setting that is missing has the first allowed value.
    private mutating func state(_ fields: JSONTree, by capabilities: Capabilities) -> ACState {
        let change = change("acState", fields["acState"])
        let unit = change.temperatureUnit ?? self.unit(fields) ?? capabilities.nativeUnit
        let mode = change.mode ?? ACMode.allCases.first { capabilities[$0] != nil } ?? .cool
        let allowed = capabilities[mode]
        return ACState(
            isOn: false, mode: mode, targetTemperature: unit.degrees(from: 22, in: .celsius),
            temperatureUnit: unit, fanLevel: allowed?.fanLevels.first ?? .auto,
            swing: allowed?.swings.first ?? .stopped,
            horizontalSwing: allowed?.horizontalSwings.first ?? .stopped, light: allowed?.lights.first ?? .on
        ).applying(change)
    }
}
