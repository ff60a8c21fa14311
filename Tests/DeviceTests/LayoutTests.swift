import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Layout of a scenario's devices")
struct LayoutTests {
    private static let mixed = Scenario.Population(groups: [
        .init(size: .share(1)), .init(size: .count(1), rooms: ["Cellar"]),
        .init(size: .share(2), rooms: ["A", "B", "C"]),
    ])

    @Test("shares add up to all devices, each within two of its part, and exact after whole rounds")
    func shares() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let devices = Int.random(in: 0...5_000, using: &generator)
            let weights = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
                Int.random(in: 1...100, using: &generator)
            }
            let layout = Scenario.Layout(
                of: Scenario.Population(groups: weights.map { .init(size: .share($0)) }))
            let counts = layout.counts(of: devices)
            #expect(counts.reduce(0, +) == devices)
            let sum = weights.reduce(0, +)
            for (count, weight) in zip(counts, weights) {
                #expect(abs(Double(count) - Double(devices * weight) / Double(sum)) < 2)
            }
            #expect(layout.counts(of: 3 * sum) == weights.map { 3 * $0 })
        }
    }

    @Test(
        "groups with counts are filled first, and shares divide the rest",
        arguments: [
            (0, [0, 0, 0]), (1, [1, 0, 0]), (2, [2, 0, 0]), (3, [2, 1, 0]), (4, [2, 1, 1]), (5, [2, 2, 1]),
            (8, [2, 4, 2]), (101, [2, 66, 33]),
        ])
    func counts(devices: Int, expected: [Int]) {
        let population = Scenario.Population(groups: [
            .init(size: .count(2)), .init(size: .share(2)), .init(size: .share(1)),
        ])
        #expect(Scenario.Layout(of: population).counts(of: devices) == expected)
    }

    @Test("if no group has a share, all groups take turns after the counts")
    func countsOnly() {
        let population = Scenario.Population(groups: [.init(size: .count(3)), .init(size: .count(1))])
        let layout = Scenario.Layout(of: population)
        #expect(layout.counts(of: 2) == [2, 0])
        #expect(layout.counts(of: 4) == [3, 1])
        #expect(layout.counts(of: 9) == [6, 3])
    }

    @Test("every device has one place, and rooms are filled evenly")
    func places() {
        let layout = Scenario.Layout(of: Self.mixed)
        for devices in [1, 2, 3, 11, 50] {
            let places = (0..<devices).map(layout.place(of:))
            let counts = layout.counts(of: devices)
            #expect(Set(places).count == devices)
            for (group, values) in Self.mixed.groups.enumerated() {
                let own = places.filter { $0.group == group }
                #expect(own.count == counts[group])
                let rooms = values.rooms.indices.map { room in own.count { $0.room == room } }
                #expect(rooms == layout.roomCounts(ofGroup: group, with: counts[group]))
                if let most = rooms.max(), let least = rooms.min() { #expect(most - least <= 1) }
            }
        }
    }

    @Test("devices are named after their rooms, with a number from the second of a room on")
    func names() {
        let names = DeviceNames(of: Self.mixed)
        #expect(
            (0..<8).map { names.name(of: $0) } == [
                "Cellar", "A", "Kitchen 1", "B", "C", "Studio 1", "A (2)", "B (2)",
            ])
    }

    @Test("a room in several groups is named with its site, or its group")
    func sharedRooms() {
        let names = DeviceNames(
            of: Scenario.Population(groups: [
                .init(site: "North", rooms: ["Kitchen"]), .init(site: "South", rooms: ["Kitchen", "Hall"]),
                .init(site: "South", rooms: ["Kitchen"]),
            ]))
        #expect(
            (0..<6).map { names.name(of: $0) } == [
                "North Kitchen", "Kitchen · 2", "Kitchen · 3", "North Kitchen (2)", "Hall", "Kitchen · 3 (2)",
            ])
    }

    @Test("without room names, devices have usual ones")
    func usualNames() {
        let names = DeviceNames(of: Scenario.Population())
        #expect(
            [0, 1, 10, 999_999].map { names.name(of: $0) } == [
                "Bedroom 1", "Living Room 1", "Bedroom 2", "Guest Room 100000",
            ])
    }
}
