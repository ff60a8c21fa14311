import ArgumentParser
import FleetProtocol
import ProcessSupport
import Testing
import UserFiles

@testable import controller
@testable import device_sim
@testable import fleet
@testable import observer

@Suite("Session, version and fleet commands", .timeLimit(.minutes(1)))
struct SessionCommandTests {
    @Test("whoami shows the user of the session from the controller's answer")
    func whoami() async throws {
        let known = Session(account: .demo, email: .demo, role: .owner, isOperator: true)
        let output = try await ScriptedController.run(["whoami"]) { $0 == .who ? .who(known) : nil }
        #expect(output.results == ["demo@sensibus.local, owner of account demo, operator"])
        let lines = try await ScriptedController.run(["whoami", "--json"]) { _ in .who(known) }
        #expect(
            lines.results
                == [#"{"email":"demo@sensibus.local","account":"demo","role":"owner","operator":true}"#])
    }

    @Test("whoami reports a session that has ended")
    func ended() async throws {
        let output = try await ScriptedController.run(["whoami"], status: .notPermitted) { _ in
            .refusal(.unauthenticated)
        }
        #expect(output.results.isEmpty && output.talk.contains("fleet login"))
    }

    @Test("every program prints its version and the version of the wire contract")
    func versions() {
        let roots: [any ParsableCommand.Type] = [
            Fleet.self, ControllerCommand.self, DeviceSimCommand.self, ObserverCommand.self,
        ]
        for root in roots {
            let lines = root.configuration.version.split(separator: "\n")
            #expect(lines.first?.hasPrefix("\(root._commandName) ") == true, "\(root)")
            #expect(lines.contains("protocol \(Limits.protocolVersion)"), "\(root)")
        }
    }

    @Test("active faults of devices are listed with the devices' names, also without a supervisor")
    func faults() async throws {
        let device = DeviceID(fleetSeed: 1, index: 0)
        let slow = ActiveFault(device: device, fault: .slow, remaining: .seconds(9), delay: .seconds(2))
        let list = FaultList(faults: [slow], total: 4)
        // The cloud's faults are unknown without a supervisor.
        let output = try await ScriptedController.run(["inject", "--list"], status: .absent) { body in
            switch body {
            case .faults: .faults(list)
            case .snapshot: .snapshot(.sample())
            default: nil
            }
        }
        #expect(
            output.results == [
                "FAULT       DEVICE     ID        ENDS IN", "slow by 2s  Bedroom 1  \(device)       9s",
                "… and 3 device faults more",
            ])
    }

    @Test("the example of a roster has shifts for a week, the first for the user who is logged in")
    func roster() throws {
        let clock = try #require(
            TimeZoneName("Europe/Oslo").flatMap { ZoneClock($0, in: Environment.timeZones) })
        // 2026-10-22 10:00 UTC: daylight saving time ends within the week.
        let now = WallTime(unixMilliseconds: 1_792_663_200_000)
        let lines = RosterExampleCommand.lines(from: now, by: clock, for: .demo)
        let file = try ShiftFile(Array(lines.joined(separator: "\n").utf8), by: clock)
        #expect(file.shifts.count == 14 && file.notes.isEmpty)
        #expect(file.shifts.first?.email == .demo)
        #expect(file.shifts.first?.from == WallTime(unixMilliseconds: 1_792_648_800_000))
    }
}
