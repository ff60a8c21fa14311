import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("A node with pods of a file")
struct NodePodTests {
    private static let change = ACStateChange(isOn: false)

    private static func pods() throws -> [InitialPod] {
        let capabilities = Capabilities(
            modes: [
                .cool: Capabilities.ModeCapabilities(temperatures: [.fahrenheit: [70, 71]], fanLevels: [])
            ], nativeUnit: .fahrenheit)
        var pods = [1, 2].map { number in
            InitialPod(
                name: "Pod \(number)",
                group: DeviceGroup(model: .sky, site: "Lake", firmware: "F\(number)", remote: .toggle),
                capabilities: capabilities,
                state: ACState(
                    isOn: true, mode: .cool, targetTemperature: 71, temperatureUnit: .fahrenheit,
                    fanLevel: .low))
        }
        (pods[0].deciCelsius, pods[0].humidityPermille) = (233, 418)
        pods[0].settings.calibration = SensorCalibration(deciCelsius: -4, humidityPermille: 10)
        pods[0].timer = InitialPod.Timer(change: change, seconds: 600)
        pods[0].settings.schedules = [
            DeviceSchedule(
                id: try #require(ScheduleID("sCh3du1e")),
                plan: SchedulePlan(
                    change: change, time: try #require(LocalTime("07:00")), weekdays: .all, zone: .utc),
                createdAt: WallTime(unixMilliseconds: 5), due: WallTime(unixMilliseconds: 0),
                calendarDue: WallTime(unixMilliseconds: 1))
        ]
        pods[1].isOnline = false
        return pods
    }

    private static func scenario() throws -> Scenario {
        var scenario = Scenario.quiet
        scenario.population = try #require(Scenario.Population(pods: try pods()))
        return scenario
    }

    @Test("its first devices have the names, groups, states, air and settings of the pods")
    func values() throws {
        let bench = NodeBench(try Self.scenario(), devices: 3)
        let pods = try Self.pods()
        #expect((0..<2).map(bench.node.name(ofSlot:)) == ["Pod 1", "Pod 2"])
        #expect(bench.node.population.sentGroups == pods.map(\.group))
        #expect((0..<3).map(bench.node.population.groupIndex) == [0, 1, 0])
        let rows = bench.node.truth
        #expect(rows[0].reported.state == pods[0].state)
        #expect(rows.map(\.isConnected) == [true, false, true])
        let measured = bench.node.measurements(ofSlot: 0)
        #expect((measured.deciCelsius, measured.humidityPermille) == (233, 418))
        let settings = try #require(rows[0].settings)
        #expect(settings.timer?.due == NodeBench.start.wall.advanced(by: .seconds(600)))
        let schedule = try #require(settings.schedules.first)
        #expect(schedule.isEnabled && schedule.due == schedule.calendarDue)
        #expect(schedule.due > NodeBench.start.wall)
    }

    @Test("a command is judged by the pod's own remote")
    func remote() throws {
        var bench = NodeBench(try Self.scenario(), devices: 2)
        func command(_ change: ACStateChange, _ number: UInt64) -> [Verdict] {
            bench.send(.command(bench.command(change, number: number))).verdicts
        }
        #expect(command(ACStateChange(targetTemperature: 70), 1) == [.applied])
        #expect(
            command(ACStateChange(targetTemperature: 72), 2)
                == [.rejected("target temperature 72 °F: mode cool allows 70 to 71 °F")])
        #expect(
            command(ACStateChange(fanLevel: .high), 3) == [.rejected("fan level high: mode cool has none")])
        #expect(command(ACStateChange(mode: .heat), 4) == [.rejected("mode heat: allowed are cool")])
    }

    @Test("a timer of the file fires, and a pod that is offline connects when it is healed")
    func live() throws {
        var bench = NodeBench(try Self.scenario(), devices: 2)
        bench.turn(after: .seconds(601))
        #expect(bench.node.truth[0].reported.state.isOn == false)
        #expect(bench.node.truth[1].isConnected == false)
        bench.send(.heal(OrderID(bits: 7), devices: []))
        #expect(bench.node.truth[1].isConnected)
    }

    @Test("devices of a group begin with its settings, and a schedule of them runs")
    func group() throws {
        var scenario = Scenario.quiet
        var group = Scenario.Group()
        group.settings.filterRun = .seconds(3_600)
        group.settings.calibration = SensorCalibration(deciCelsius: 5)
        let due = LocalTime(minuteOfDay: UInt16((NodeBench.start.wall.unixMilliseconds / 60_000 + 2) % 1_440))
        group.settings.schedules = [
            SchedulePlan(
                change: ACStateChange(isOn: true), time: try #require(due), weekdays: .all, zone: .utc)
        ]
        scenario.population = .init(groups: [group])
        var bench = NodeBench(scenario, devices: 2)
        let settings = bench.node.truth.map(\.settings)
        #expect(settings[0]?.calibration == group.settings.calibration)
        #expect(settings[0]?.filter?.runningSeconds(at: NodeBench.start.wall) == 3_600)
        #expect(settings[0]?.schedules.first?.id != settings[1]?.schedules.first?.id)
        bench.turn(after: .seconds(180))
        #expect(bench.node.truth.allSatisfy { $0.reported.state.isOn })
        #expect(bench.node.truth[0].settings?.filter?.secondsPerSecond == 1)
    }

    @Test("a node that starts again has the states and settings that it remembers")
    func memory() throws {
        let first = NodeBench(try Self.scenario(), devices: 2)
        let device = first.node.truth[0].device
        var memory = NodeMemory()
        var known = DeviceMemory(newborn: .asBuilt, incarnation: Incarnation(bits: 3))
        known.version = Version(9)
        memory.set(known, of: device)
        let second = NodeBench(try Self.scenario(), devices: 2, remembering: memory)
        #expect(second.node.truth[0].reported == known.reported)
        #expect(second.node.truth[0].settings == nil)
    }
}
