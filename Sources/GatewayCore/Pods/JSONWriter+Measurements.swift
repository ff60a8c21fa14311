import FleetProtocol
import UserText

extension JSONWriter {
    /// Writes the last measurement, in degrees Celsius; an empty object without one. A Pure has no
    /// thermometer, and rates the particles in the air from 1 to 3.
    mutating func measurements(of pod: Pod, fields: RecordFields = .all, _ now: PodTime) {
        if let value = pod.recorded(.measurements) {
            let members = value.members.filter { fields.contains($0.key) }
            return recorded(.measurements, .object(members), of: pod, now)
        }
        object { json in
            guard let measured = pod.measured else { return }
            let values = measured.measurements
            func tenths(_ name: StaticString, _ value: Int) {
                if fields.contains(name) { json.member(name, tenths: value) }
            }
            if fields.contains("time") { json.member("time", time: measured.at, now: now) }
            if pod.model != .pure {
                tenths("temperature", Int(values.deciCelsius))
                tenths("humidity", Int(values.humidityPermille))
                tenths("feelsLike", Int(values.feelsLikeDeciCelsius))
            }
            json.airQuality(of: pod, at: now.shown(Sample.time(measured.at)), fields: fields)
            if let sensor = RoomSensor(of: pod) {
                if fields.contains("motion") {
                    json.member("motion", sensor.noticesMotion(at: now.shown(measured.at)))
                }
                if fields.contains("roomIsOccupied") {
                    json.member("roomIsOccupied", sensor.isOccupied(at: now.shown(measured.at)))
                }
            }
            if fields.contains("rssi") { json.member("rssi", values.rssiDBm) }
        }
    }

    private mutating func airQuality(of pod: Pod, at time: WallTime, fields: RecordFields) {
        let quantities = AirQuantity.measured(by: pod.model).filter { fields.contains($0.name) }
        guard !quantities.isEmpty else { return }
        let air = pod.airQuality(at: time)
        for quantity in quantities {
            key(quantity.name)
            value(of: quantity, in: air)
        }
    }

    /// Writes a value in the form that clients expect: an integer, except for ethanol.
    mutating func value(of quantity: AirQuantity, in air: AirQuality) {
        let value = quantity.value(in: air)
        if quantity == .ethanol { hundredths(value) } else { integer(Int64(value)) }
    }

    mutating func roomSensors(of pod: Pod, _ now: PodTime) {
        array { json in
            if let sensor = RoomSensor(of: pod) { json.roomSensor(sensor, of: pod, now) }
        }
    }

    /// Writes the sensor that replaces the pod's thermometer; null without one.
    mutating func mainSensor(of pod: Pod, _ now: PodTime) {
        guard let sensor = RoomSensor(of: pod), sensor.isMain else { return null() }
        roomSensor(sensor, of: pod, now)
    }

    /// Writes whether people were in the room at the last measurement; null without a sensor.
    mutating func occupancy(of pod: Pod, _ now: PodTime) {
        guard let sensor = RoomSensor(of: pod), let measured = pod.measured else { return null() }
        bool(sensor.isOccupied(at: now.shown(measured.at)))
    }

    private mutating func roomSensor(_ sensor: RoomSensor, of pod: Pod, _ now: PodTime) {
        let identity = PodIdentity(ofRoomSensorAt: pod.device)
        object { json in
            json.member("id", ShortID(pod.device.bits, 2))
            json.key("connectionStatus")
            json.connectionStatus(of: pod, now)
            json.key("measurements")
            json.measurements(by: sensor, of: pod, now)
            json.member("isMainSensor", sensor.isMain)
            json.member("firmwareVersion", raw: "\"V17\"")
            json.member("firmwareType", raw: "\"nrf52\"")
            json.key("macAddress")
            json.plain { identity.appendMACAddress(to: &$0) }
            json.key("parentDeviceUid")
            pod.writeID(to: &json)
            json.member("productModel", raw: "\"motion_sensor\"")
            json.key("qrId")
            json.plain { identity.appendQRCode(to: &$0) }
            json.key("serial")
            json.plain { identity.appendSerial(to: &$0) }
            json.member("configGroup", raw: "\"stable\"")
        }
    }

    private mutating func measurements(by sensor: RoomSensor, of pod: Pod, _ now: PodTime) {
        object { json in
            guard let measured = pod.measured else { return }
            let values = measured.measurements
            let permille = Int(values.humidityPermille) + sensor.permilleApart
            json.member("time", time: measured.at, now: now)
            json.member("temperature", tenths: Int(values.deciCelsius) + sensor.deciCelsiusApart)
            json.member("humidity", tenths: min(max(permille, 0), 1_000))
            json.member("motion", sensor.noticesMotion(at: now.shown(measured.at)))
            json.member("batteryVoltage", sensor.batteryMillivolts)
            json.member("rssi", sensor.rssiDBm)
        }
    }
}
