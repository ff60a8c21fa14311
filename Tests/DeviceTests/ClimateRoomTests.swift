import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("A device's room")
struct ClimateRoomTests {
    @Test("a room follows from seed and index alone")
    func derived() {
        #expect(Room(fleetSeed: 7, index: 3) == Room(fleetSeed: 7, index: 3))
        #expect(Room(fleetSeed: 7, index: 3) != Room(fleetSeed: 7, index: 4))
        #expect(Room(fleetSeed: 8, index: 3) != Room(fleetSeed: 7, index: 3))
    }

    @Test("a room's properties are within realistic ranges")
    func ranges() {
        var sizes: Set<Double> = []
        for index in 0..<10_000 {
            let room = Room(fleetSeed: 1, index: UInt64(index))
            #expect((0.009...0.12).contains(room.resistanceKelvinPerWatt))
            #expect((0.4e6...3.85e6).contains(room.heatCapacityJoulesPerKelvin))
            #expect((2...48).contains(room.timeConstantSeconds / 3_600))
            #expect((28...118).contains(room.airKg))
            #expect((20...210).contains(room.deviceWatts))
            #expect((1...4).contains(room.occupancy.people))
            #expect((0.5...1.5).contains(room.hysteresisKelvin))
            #expect((-75 ... -45).contains(room.rssiDBm))
            sizes.insert(room.coolingWatts)
        }
        #expect(sizes == [2_050, 2_640, 3_520, 5_280, 7_030])
    }

    @Test("a room is occupied at the same hours every day, also over midnight")
    func occupancy() {
        let late = Occupancy(people: 3, fromHour: 22, hours: 8)
        let hours = [21.9, 22, 23.9, 0, 5.9, 6, 12]
        #expect(hours.map { late.people(atSecondOfDay: $0 * 3_600) } == [0, 3, 3, 3, 3, 0, 0])
        #expect(late.meanPeople == 1)
    }

    @Test("a room's air conditioner holds 23 °C in summer and 21 °C in winter", arguments: 0..<100)
    func suffices(index: Int) {
        for (outdoors, mode, target) in [(Outdoors.summer, ACMode.cool, 23), (.winter, .heat, 21)] {
            var bench = ClimateBench(room: Room(fleetSeed: 1, index: UInt64(index)), outdoors: outdoors)
            bench.climate = RoomClimate(settledIn: bench.room, under: outdoors)
            bench.set(mode, Int8(target))
            bench.run(for: .seconds(86_400))
            var worst = 0.0
            // Too warm in summer, too cold in winter: people may warm a small room beyond any heating.
            let sign = mode == .cool ? 1.0 : -1
            bench.run(1_440, stepsOf: .seconds(60)) {
                worst = max(worst, sign * ($0.celsius - Double(target)))
            }
            #expect(worst <= bench.room.hysteresisKelvin / 2 + 1e-6, "room \(index), \(mode)")
        }
    }
}
