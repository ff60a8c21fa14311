import FleetProtocol
import Foundation
import Testing

@testable import GatewayCore

@Suite("Sensors of a pod")
struct PodSensorsTests {
    private static let count: UInt64 = 400

    private func pod(
        _ model: ProductModel = .sky, number: UInt64 = 0, on isOn: Bool = true, firmware: String? = nil,
        measuredAt time: WallTime = Sample.ago(20)
    ) throws -> Pod {
        Pod(
            device: DeviceID(fleetSeed: 1, index: number), name: "Hall", reported: Sample.state(on: isOn),
            asOf: Sample.ago(40), presence: Presence(.online, since: Sample.ago(30)),
            group: DeviceGroup(
                model: model, site: "North", firmware: firmware ?? model.usualFirmware,
                remote: .discrete),
            measured: SnapshotChunk.Measured(try Sample.measured(), at: time))
    }

    private func measured(_ pod: Pod) throws -> [String: Any] {
        try #require(try Sample.object(of: pod)["measurements"] as? [String: Any])
    }

    private func object(of number: UInt64) throws -> [String: Any] {
        let fields = PodFields(query: "measurements,motionSensors,mainMeasurementsSensor,roomIsOccupied")
        return try Sample.object(of: try pod(number: number), fields: fields)
    }

    @Test(
        "each model has the measurements of its sensors",
        arguments: [
            (.sky, []), (.airPro, ["tvoc", "co2", "iaq"]), (.pure, ["pm25"]),
            (.elements, ["pm25", "tvoc", "co2", "etoh", "iaq"]),
        ] as [(ProductModel, Set<String>)])
    func models(model: ProductModel, names: Set<String>) throws {
        let all: Set<String> = ["pm25", "tvoc", "co2", "etoh", "iaq"]
        for number in 0..<20 as Range<UInt64> {
            let found = try measured(try pod(model, number: number))
            #expect(Set(found.keys).intersection(all) == names)
            #expect((found["temperature"] == nil) == (model == .pure))
        }
    }

    @Test("a pod without a remote has an object of capabilities, as openHAB needs")
    func elements() throws {
        let object = try Sample.object(of: try pod(.elements))
        let capabilities = try #require(object["remoteCapabilities"] as? [String: [String: Any]])
        #expect(capabilities.keys.sorted() == ["modes"])
        #expect(capabilities["modes"]?.keys.sorted() == ["fan"])
    }

    @Test("air quality is plausible, differs between rooms, and varies over a day")
    func plausible() throws {
        var carbonDioxide: Set<Int> = []
        for number in 0..<60 as Range<UInt64> {
            var ofOne: Set<Int> = []
            for hour in 0..<24 as Range<Int64> {
                let found = try measured(
                    try pod(.elements, number: number, measuredAt: Sample.ago(3_600 * hour)))
                let co2 = try #require(found["co2"] as? Int)
                #expect((400...6_000).contains(co2))
                #expect((1...60).contains(try #require(found["pm25"] as? Int)))
                #expect((40...1_200).contains(try #require(found["tvoc"] as? Int)))
                #expect((1...5).contains(try #require(found["iaq"] as? Int)))
                #expect((0.02...0.75).contains(try #require(found["etoh"] as? Double)))
                ofOne.insert(co2)
            }
            #expect(ofOne.count > 12)
            carbonDioxide.formUnion(ofOne)
        }
        #expect(carbonDioxide.contains { $0 < 450 })
        #expect(carbonDioxide.contains { $0 > 1_000 })
    }

    @Test("carbon dioxide rises while people are in the room and falls after that, the same every day")
    func breathing() throws {
        for number in 0..<Self.count {
            let room = SimulatedRoom(of: DeviceID(fleetSeed: 1, index: number))
            let sinceArrival = room.occupancy.hoursSinceStart(at: Sample.now)
            let arrival = Sample.now.advanced(by: .milliseconds(-Int64(sinceArrival * 3_600_000) + 1_000))
            func co2(_ hours: Double) -> Int {
                AirQuality(in: room, at: arrival.advanced(by: .seconds(Int64(hours * 3_600)))).co2
            }
            let stay = room.occupancy.hours
            // The sensor's error is at most 10 ppm.
            #expect(co2(stay) > co2(0) + 20)
            #expect(co2(23.9) < co2(stay) - 20)
            #expect(abs(co2(24) - co2(0)) <= 21)
        }
    }

    @Test("a Pure rates particles from 1 to 3, and better while it runs")
    func pure() throws {
        var steps: [Bool: [Int]] = [:]
        for number in 0..<Self.count {
            for isOn in [true, false] {
                let step = try measured(try pod(.pure, number: number, on: isOn))["pm25"] as? Int
                steps[isOn, default: []].append(try #require(step))
            }
        }
        #expect(Set(steps[false] ?? []) == [1, 2, 3])
        #expect(Set(steps[true] ?? []) == [1, 2])
        #expect(zip(steps[true] ?? [], steps[false] ?? []).allSatisfy { $0 <= $1 })
    }

    @Test("among 20 devices of the default seed, one room sensor is main and another is not")
    func defaultSeed() throws {
        let sensors = try (0..<20).flatMap { number in
            try #require(object(of: number)["motionSensors"] as? [[String: Any]])
        }
        #expect(Set(sensors.map { $0["isMainSensor"] as? Bool }) == [true, false])
    }

    @Test("one pod in four with an air conditioner has a room sensor, and half of these are main")
    func roomSensors() throws {
        var (with, main) = (0, 0)
        for number in 0..<Self.count {
            let object = try object(of: number)
            let sensors = try #require(object["motionSensors"] as? [[String: Any]])
            let measured = try #require(object["measurements"] as? [String: Any])
            #expect((object["roomIsOccupied"] is Bool) == !sensors.isEmpty)
            #expect(object["roomIsOccupied"] as? Bool == measured["roomIsOccupied"] as? Bool)
            guard let sensor = sensors.first else {
                #expect(object["mainMeasurementsSensor"] is NSNull)
                #expect(measured["motion"] == nil)
                continue
            }
            with += 1
            try expect(
                sensor, has: #"{"productModel": "motion_sensor", "connectionStatus": {"isAlive": true}}"#)
            let found = try #require(sensor["measurements"] as? [String: Any])
            #expect(
                Set(found.keys) == ["time", "temperature", "humidity", "motion", "batteryVoltage", "rssi"])
            #expect(found["motion"] as? Bool == measured["motion"] as? Bool)
            #expect(abs((found["temperature"] as? Double ?? 0) - 21.5) < 0.85)
            guard let mainSensor = object["mainMeasurementsSensor"] as? [String: Any] else { continue }
            main += 1
            #expect(mainSensor["id"] as? String == sensor["id"] as? String)
            #expect(mainSensor["isMainSensor"] as? Bool == true)
        }
        #expect((70...130).contains(with))
        #expect((with / 4...with * 3 / 4).contains(main))
        #expect(try Sample.object(of: try pod(.pure))["roomIsOccupied"] is NSNull)
    }

    @Test("a room sensor detects motion only while people are in the room, and rooms are empty at times")
    func motion() throws {
        var seen: Set<[Bool]> = []
        for number in 0..<80 as Range<UInt64> {
            for hour in 0..<24 as Range<Int64> {
                let time = Sample.ago(3_600 * hour)
                guard let sensor = RoomSensor(of: try pod(number: number)) else { continue }
                seen.insert([sensor.isOccupied(at: time), sensor.noticesMotion(at: time)])
            }
        }
        #expect(seen == [[true, true], [true, false], [false, false]])
    }

    @Test("people are at a location at some hours, and all its pods agree")
    func presence() throws {
        var words: Set<String> = []
        for hour in 0..<24 as Range<Int64> {
            let found = try (0..<5 as Range<UInt64>).map { number in
                let object = try Sample.object(
                    of: try pod(number: number), fields: PodFields(query: "location"),
                    now: PodTime(Sample.ago(3_600 * hour)))
                return try #require((object["location"] as? [String: Any])?["occupancy"] as? String)
            }
            #expect(Set(found).count == 1)
            words.formUnion(found)
        }
        #expect(words.count == 2)
        #expect(words.contains("empty"))
        #expect(!words.isDisjoint(with: ["me", "someone"]))
    }

    @Test("one pod in five has not installed the next firmware")
    func firmware() throws {
        let newer = try (0..<Self.count).filter { number in
            let object = try Sample.object(
                of: try pod(number: number),
                fields: PodFields(query: "firmwareVersion,currentlyAvailableFirmwareVersion"))
            let available = try #require(object["currentlyAvailableFirmwareVersion"] as? String)
            #expect(object["firmwareVersion"] as? String == "SKY30046")
            #expect(["SKY30046", "SKY30047"].contains(available))
            return available == "SKY30047"
        }
        #expect((55...105).contains(newer.count))
        let one = try #require(newer.first)
        for (firmware, next) in [("", ""), ("beta", "beta"), ("A099", "A100"), ("A009", "A010"), ("9", "10")]
        {
            #expect(try pod(number: one, firmware: firmware).availableFirmware == next)
        }
    }

    @Test("a day of measurements has the air quality, with the values that were shown at the time")
    func series() throws {
        var history = PodHistory()
        let pod = try pod(.elements)
        history.record(try Sample.measured(), of: pod.device, at: Sample.ago(20))
        let answer = try APIResponse.history(of: pod, in: history, days: nil, now: Sample.present)
        let series = try #require(try Sample.result(of: answer) as? [String: [[String: Any]]])
        #expect(Set(series.keys) == ["temperature", "humidity", "pm25", "tvoc", "co2", "etoh", "iaq"])
        let shown = try measured(pod)
        for name in ["pm25", "tvoc", "co2", "iaq"] {
            #expect(series[name]?.first?["value"] as? Int == shown[name] as? Int)
        }
        #expect(series["etoh"]?.first?["value"] as? Double == shown["etoh"] as? Double)
    }
}
