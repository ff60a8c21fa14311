import Bus
import DeviceLogs
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

extension EndToEnd {
    /// Peers at `devices` that send false messages, and memory files with impossible values.
    @Suite("Forged nodes", .timeLimit(.minutes(1)))
    struct ForgedNodeTests {
        /// Sends messages to `devices` over one connection, one after another.
        private static func send(_ messages: [[UInt8]], in lab: Lab) throws {
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

        /// The hello of a node that has a token, for a device outside the fleet.
        private static func grantedHello(boot: UInt64, in lab: Lab) throws -> [UInt8] {
            let (name, account) = (try #require(NodeName("evil")), try #require(AccountID("demo")))
            let range = DeviceRange(seed: 1, firstIndex: 1_000, count: 1)
            let grant = try RunDirectory(path: lab.runDirectory).nodeSecret().grant(
                range, to: name, of: account)
            let hello = NodeHello(node: name, account: account, devices: 1, grant: grant)
            return NodeMessage(bootID: BootID(bits: boot), lastNumber: ChangeNumber(1), body: .hello(hello))
                .wireBytes
        }

        private static func result(
            of device: DeviceLine, boot: UInt64, epoch: Epoch, request: RequestID = RequestID(high: 1, low: 1)
        ) throws -> [UInt8] {
            let state = ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto)
            let row = DeviceRow(
                device: try #require(DeviceID(device.id)), number: ChangeNumber(1),
                reported: DeviceState(
                    state: state, version: Version(9),
                    incarnation: try #require(Incarnation(device.incarnation))),
                epoch: epoch, lastCommandNumber: CommandNumber(1), isConnected: true)
            let result = CommandResult(
                commandNumber: CommandNumber(1), requestID: request, verdict: .applied,
                judged: row.reported, deviceUs: 1, row: row)
            return NodeMessage(bootID: BootID(bits: boot), lastNumber: ChangeNumber(1), body: .result(result))
                .wireBytes
        }

        /// Toggles a device, and expects the device itself to apply it.
        private static func toggle(_ name: String, in lab: Lab) async throws {
            let before = try await lab.device(name)
            let line = try await lab.toggle(name)
            #expect(line.outcome == "applied")
            #expect(line.state == ToggleLine.State(on: !before.on))
            #expect(try await lab.device(name).on == !before.on)
        }

        @Test("forged results neither stop the controller nor answer commands, and a borrowed name gets none")
        func forged() async throws {
            try await Lab.withFleet { lab in
                let controller = try await lab.processID("controller")
                let device = try await lab.device("Bedroom 1")
                let largest = try Self.result(of: device, boot: 7, epoch: Epoch(1 << 40 - 1))
                try Self.send([try Self.grantedHello(boot: 7, in: lab), largest], in: lab)
                try await Self.toggle("Bedroom 1", in: lab)
                #expect(try await lab.processID("controller") == controller)

                try await lab.succeed("inject", "hang", "Bedroom 1", "--for", "3s")
                let id = Lab.requestID()
                let forged = Box<String>()
                let toggle = try await lab.toggle("Bedroom 1", id: id, timeout: "20s") { _ in
                    // Sent again on the same connection, as a restarted node is asked to do.
                    let hello = Self.hello("node-1", boot: 7)
                    let result = try Self.result(
                        of: device, boot: 7, epoch: .zero, request: try #require(RequestID(id)))
                    try Self.send([hello, hello, result], in: lab)
                    forged.value = try await lab.fleet("outcome", id, "--json").output
                }
                #expect(try #require(forged.value).contains("unknown"), "the device hangs")
                #expect(toggle.status == 0, "\(toggle.talk)")
                #expect(try toggle.line(ToggleLine.self).version == device.version + 2)
                try await Self.toggle("Bedroom 2", in: lab)
                #expect(try await lab.status().online == 20)
                try await lab.eventually("the log counts the message", within: .seconds(5)) {
                    try lab.logs().contains("hello.grant: expected the token of that node, account and range")
                }
            }
        }

        @Test("a connection of another user of the machine is closed before anything is read from it")
        func otherUser() async throws {
            try #require(geteuid() == 0, "only root can be another user")
            try await Lab.withFleet { lab in
                for path in [lab.directory, lab.runDirectory] { chmod(path, 0o755) }
                // The socket sends its greeting to accepted peers before they have sent anything.
                let greeted = """
                    import os, socket, sys
                    os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
                    peer = socket.socket(socket.AF_UNIX); peer.settimeout(20); peer.connect(sys.argv[1])
                    print(len(peer.recv(1)))
                    """
                for socket in ["devices", "telemetry", "clients", "stream", "supervisor"] {
                    let path = lab.file("\(socket).sock")
                    chmod(path, 0o777)
                    for (user, count) in [("0", "1"), ("65534", "0")] {
                        let ended = try await lab.run("/usr/bin/python3", ["-c", greeted, path, user])
                        #expect(ended.output == "\(count)\n", "\(socket), user \(user): \(ended.talk)")
                    }
                }
                for path in [lab.directory, lab.runDirectory] { chmod(path, 0o700) }
            }
        }

        @Test(
            "devices whose memory has an impossible epoch, or is an older copy, get new incarnations and work"
        )
        func memory() async throws {
            try await Lab.withFleet { lab in
                func expectNewIncarnation(of names: [String], after before: [DeviceLine]) async throws {
                    for name in names {
                        let old = before.first { $0.name == name }?.incarnation
                        try await lab.eventually("\(name) has begun a new incarnation", within: .seconds(2)) {
                            let device = try await lab.device(name)
                            return device.presence == "online" && device.incarnation != old
                        }
                        try await Self.toggle(name, in: lab)
                    }
                }
                let file = URL(filePath: lab.file("memory/node-1.entries"))
                let first = try await lab.devices()
                try await lab.succeed("down")
                let bytes = [UInt8](try Data(contentsOf: file))
                try Data(try MemoryFile.raisingEpochs(of: bytes, to: Epoch(1 << 40 + 7))).write(to: file)
                try await lab.up(devices: 20)
                try await expectNewIncarnation(of: ["Bedroom 1", "Bedroom 2"], after: first)
                #expect(try #require(try await lab.status().epoch) < 1 << 40)

                let old = try Data(contentsOf: file)
                for _ in 0..<2 { try await Self.toggle("Bedroom 1", in: lab) }
                let second = try await lab.devices()
                try await lab.killNode("node-1")
                try old.write(to: file)
                try await lab.succeed("restart", "node-1")
                try await expectNewIncarnation(of: ["Bedroom 1"], after: second)
                try await Self.toggle("Bedroom 2", in: lab)
            }
        }
    }
}
