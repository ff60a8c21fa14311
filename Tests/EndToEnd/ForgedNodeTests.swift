import Bus
import Circumstances
import FleetProtocol
import Foundation
import Glibc
import Testing

@testable import DeviceCore

extension EndToEnd {
    /// Peers on `devices` that say what they are not, and memories that say what cannot be.
    @Suite("A forged node")
    struct ForgedNodeTests {
        /// Says something on `devices` over one connection, one message after another.
        private static func say(_ messages: [[UInt8]], in lab: Lab) throws {
            let context = try Context()
            defer { context.terminate() }
            var options = SocketOptions.defaults(for: .dealer)
            options.linger = .seconds(5)
            let socket = try Socket(.dealer, context: context, options: options)
            try socket.connect(Endpoint.ipc(path: lab.file("devices.sock")))
            for message in messages { _ = try socket.sendWaiting([message]) }
            socket.close()
        }

        private static func hello(_ node: String, boot: UInt64) -> [UInt8] {
            let hello = RawMessage().text(1, node).text(2, "demo").varint(3, 20)
            return RawMessage.version(1).fixed64(2, boot).varint(3, 1).bytes(10, hello.bytes).bytes
        }

        private static func result(of device: DeviceLine, boot: UInt64, epoch: Epoch) throws -> [UInt8] {
            let state = ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto)
            let row = DeviceRow(
                device: try #require(DeviceID(device.id)), number: ChangeNumber(1),
                reported: DeviceState(
                    state: state, version: Version(9),
                    incarnation: try #require(Incarnation(device.incarnation))),
                epoch: epoch, lastSequence: CommandSequence(1), isConnected: true)
            let result = CommandResult(
                sequence: CommandSequence(1), requestID: RequestID(high: 1, low: 1), verdict: .applied,
                judged: row.reported, deviceUs: 1, row: row)
            return NodeMessage(bootID: BootID(bits: boot), lastNumber: ChangeNumber(1), body: .result(result))
                .wireBytes
        }

        /// Toggles a device, and expects that to be done by the device itself.
        private static func toggle(_ name: String, in lab: Lab) async throws {
            let before = try await lab.device(name)
            let toggle = try await lab.fleet("toggle", name, "--json")
            #expect(toggle.status == 0, "\(toggle.talk)")
            let line = try toggle.line(ToggleLine.self)
            #expect(line.outcome == "applied")
            #expect(line.state == ToggleLine.State(on: !before.on))
            let after = try await lab.device(name)
            #expect(after.on == !before.on)
        }

        @Test("whose result names an epoch at the end of counting stops nothing", .timeLimit(.minutes(1)))
        func forgedEpoch() async throws {
            try await Lab.withFleet { lab in
                let controller = try await lab.processID("controller")
                let device = try await lab.device("Bedroom 1")
                let epoch = Epoch(1 << 40 - 1)
                try Self.say(
                    [Self.hello("evil", boot: 7), Self.result(of: device, boot: 7, epoch: epoch)], in: lab)
                try await Self.toggle("Bedroom 1", in: lab)
                #expect(try await lab.processID("controller") == controller)
                #expect(try await lab.status().online == 20)
            }
        }

        @Test(
            "does not lock devices out that remember such an epoch: they begin new incarnations and work",
            .timeLimit(.minutes(1)))
        func rememberedEpoch() async throws {
            try await Lab.withFleet { lab in
                let before = try await lab.devices()
                #expect(try await lab.fleet("down").status == 0)
                let file = URL(filePath: lab.file("memory/node-1.entries"))
                var bytes = [UInt8](try Data(contentsOf: file))
                var replay = MemoryReplay()
                try replay.take(bytes[...])
                var writer = MemoryWriter()
                for (device, memory) in replay.memory.devices {
                    var raised = memory
                    raised.epoch = Epoch(1 << 40 + 7)
                    writer.put(raised, of: device)
                }
                writer.endFrame()
                bytes += writer.bytes
                try Data(bytes).write(to: file)
                let up = try await lab.fleet("up", "--detach", "--no-gateway", "--devices", "20")
                #expect(up.status == 0, "\(up.talk)")
                for name in ["Bedroom 1", "Bedroom 2"] {
                    try await lab.eventually("\(name) has begun a new incarnation", within: .seconds(2)) {
                        let device = try await lab.device(name)
                        return device.incarnation != before.first { $0.name == name }?.incarnation
                    }
                    try await Self.toggle(name, in: lab)
                }
                #expect(try #require(try await lab.status().epoch) < 1 << 40)
            }
        }

        @Test(
            "does not lock devices out whose memory went back: they begin new incarnations and work",
            .timeLimit(.minutes(1)))
        func memoryWentBack() async throws {
            try await Lab.withFleet { lab in
                let file = URL(filePath: lab.file("memory/node-1.entries"))
                try await Self.toggle("Bedroom 1", in: lab)
                let old = try Data(contentsOf: file)
                try await Self.toggle("Bedroom 1", in: lab)
                try await Self.toggle("Bedroom 1", in: lab)
                let before = try await lab.device("Bedroom 1")
                kill(try await lab.processID("node-1"), SIGKILL)
                try await lab.eventually("node-1 is dead", within: .seconds(5)) {
                    try await lab.status().processes.first { $0.name == "node-1" }?.state == "dead"
                }
                try old.write(to: file)
                #expect(try await lab.fleet("restart", "node-1").status == 0)
                try await lab.eventually("Bedroom 1 has begun a new incarnation", within: .seconds(2)) {
                    let device = try await lab.device("Bedroom 1")
                    return device.presence == "online" && device.incarnation != before.incarnation
                }
                try await Self.toggle("Bedroom 1", in: lab)
                try await Self.toggle("Bedroom 2", in: lab)
            }
        }
    }
}
