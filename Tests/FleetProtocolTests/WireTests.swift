import FleetProtocol
import Testing

@Suite("The wire")
struct WireTests {
    private static let device = DeviceID(fleetSeed: 1, index: 1)
    private static let state = DeviceState(
        state: ACState(isOn: true, mode: .heat, targetTemperature: -5, fanLevel: .quiet), version: Version(9),
        incarnation: Incarnation(bits: .max))

    @Test("a command with a setting changes only the setting, also if it has a change of the state")
    func settingAndChange() throws {
        func command(_ change: ACStateChange) -> DeviceCommand {
            DeviceCommand(
                identity: CommandIdentity(
                    device: Self.device, incarnation: Incarnation(bits: 1), commandNumber: CommandNumber(2),
                    requestID: RequestID(high: 1, low: 2)),
                change: change, base: nil, timeToLive: .milliseconds(9))
        }
        let setting = ControllerMessage(
            epoch: Epoch(3), body: .configure(command(ACStateChange()), .filterCleaned))
        let change = ControllerMessage(epoch: Epoch(3), body: .command(command(ACStateChange(isOn: true))))
        // Protobuf merges the parts of a message.
        #expect(try ControllerMessage(wireBytes: change.wireBytes + setting.wireBytes) == setting)
    }

    @Test("a full chunk of the longest names stays within the size limit")
    func bounds() throws {
        let longest = try #require(
            Measurements(
                deciCelsius: 900, feelsLikeDeciCelsius: 9_990, humidityPermille: 1_000, rssiDBm: -100))
        let row = SnapshotChunk.Row(
            device: Self.device, name: String(repeating: "n", count: Limits.nameBytes),
            node: NodeIndex(4_000), group: GroupNumber(UInt16(Limits.accountGroups)),
            reported: DeviceState(
                state: Self.state.state, version: Version(.max), incarnation: Incarnation(bits: .max)),
            isConnected: true, connectedSince: WallTime(unixMilliseconds: .max / 2),
            asOf: WallTime(unixMilliseconds: .max / 2),
            measured: SnapshotChunk.Measured(longest, at: WallTime(unixMilliseconds: .max / 2)))
        let node = SnapshotChunk.Node(
            index: NodeIndex(4_000), name: try #require(NodeName(String(repeating: "n", count: 32))),
            presence: Presence(.offline(.nodeLost), since: WallTime(unixMilliseconds: .max / 2)))
        let chunk = SnapshotChunk(
            epoch: Epoch(.max), sequence: StreamSequence(.max), nextCursor: .max, isLast: false,
            endCursor: .max, deviceCount: .max, nodes: Array(repeating: node, count: 64),
            rows: Array(repeating: row, count: Limits.chunkRows))
        let bytes = ClientReply(correlation: .max, body: .snapshot(chunk)).wireBytes.count
        let promised = 64 * node.bytesAtMost + Limits.chunkRows * row.bytesAtMost
        #expect(bytes <= promised + SnapshotChunk.frameBytesAtMost)
        #expect(bytes <= Limits.chunkBytes)
        let full = DeviceRow(
            device: Self.device, number: ChangeNumber(.max), reported: row.reported, epoch: Epoch(.max),
            lastCommandNumber: CommandNumber(.max), isConnected: true)
        let rows = RowChunk(
            since: ChangeNumber(.max), cursor: .max, nextCursor: .max, isLast: true,
            rows: Array(
                repeating: RowChunk.Row(device: full, name: row.name, group: 255, measurements: longest),
                count: Limits.chunkRows))
        let message = NodeMessage(
            bootID: BootID(bits: .max), lastNumber: ChangeNumber(.max), body: .rows(rows))
        #expect(message.wireBytes.count <= Limits.chunkBytes)
    }

    @Test(
        "an explanation that is too long is cut by its writer, between characters",
        arguments: [("é", 0, 512), ("é", 1, 511), ("👩‍👩‍👧‍👦", 0, 500), ("a", 0, 512)])
    func cut(character: String, ahead: Int, remaining: Int) throws {
        let text = String(repeating: "x", count: ahead) + String(repeating: character, count: 600)
        let reply = ClientReply(correlation: 1, body: .refusal(.invalid(text)))
        guard case .refusal(.invalid(let read)) = try ClientReply(wireBytes: reply.wireBytes).body else {
            Issue.record("it is not a refusal")
            return
        }
        #expect(read.utf8.count == remaining)
        #expect(text.hasPrefix(read))
    }

    @Test("a time far out of range can be used in calculations", arguments: [Int64.min, .max])
    func extremeTimes(milliseconds: Int64) throws {
        let update = StreamUpdate(
            epoch: Epoch(1), sequence: StreamSequence(2), at: WallTime(unixMilliseconds: milliseconds),
            body: .beat)
        let read = try StreamUpdate(wireBytes: update.wireBytes)
        let now = WallTime(unixMilliseconds: 1_767_323_045_678)
        #expect((read.at < now) == (milliseconds < 0))
        #expect(read.at.duration(to: now) + now.duration(to: read.at) == .zero)
    }

    @Test("a rate that is not a number is refused", arguments: [.nan, .infinity, -1.0])
    func impossibleRate(rate: Double) throws {
        let report = StatusReport(epoch: Epoch(1), togglesPerSecond: rate)
        let bytes = ClientReply(correlation: 42, body: .status(report)).wireBytes
        let expected = WireError.malformed("toggles_per_second", "0 or more")
        #expect {
            try ClientReply(wireBytes: bytes)
        } throws: {
            ($0 as? WireError)?.problem == expected.problem
        }
    }

    @Test("a node's groups fit into its hello, and an account's groups into their part of a chunk")
    func groupBounds() throws {
        let longest = String(repeating: "n", count: Limits.nameBytes)
        let change = ACStateChange(
            isOn: true, mode: .fan, targetTemperature: .min, temperatureUnit: .fahrenheit, fanLevel: .high,
            swing: .rangeFull, horizontalSwing: .rangeFull, light: .on)
        let side = ClimateReact.Side(tenths: .min, change: change)
        let group = DeviceGroup(
            model: .elements, site: longest, firmware: longest, remote: .toggle, airConditioner: .fahrenheit,
            climateReact: ClimateReact(measure: .feelsLike, low: side, high: side))
        let hello = NodeHello(
            node: try #require(NodeName(String(repeating: "n", count: 32))),
            account: try #require(AccountID("demo")), devices: 1,
            groups: Array(repeating: group, count: Limits.nodeGroups))
        let message = NodeMessage(bootID: BootID(bits: 1), lastNumber: .zero, body: .hello(hello)).wireBytes
        #expect(message.count <= Limits.chunkBytes)
        let numbered = SnapshotChunk.Group(number: GroupNumber(UInt16(Limits.accountGroups)), group: group)
        func bytes(_ count: Int) -> Int {
            let chunk = SnapshotChunk(
                epoch: Epoch(1), sequence: StreamSequence(2), nextCursor: 3, isLast: true, nodes: [],
                groups: Array(repeating: numbered, count: count), rows: [])
            return ClientReply(correlation: 1, body: .snapshot(chunk)).wireBytes.count
        }
        #expect(bytes(101) - bytes(100) <= numbered.bytesAtMost)
    }

    @Test("a full list of the longest emails fits into a message, and a longer list is refused")
    func userBounds() throws {
        let email = try #require(Email(String(repeating: "x", count: Limits.emailBytes - 2) + "@b"))
        let user = User(email: email, role: .owner, isOperator: true)
        let full = ClientReply(
            correlation: .max, body: .users(Array(repeating: user, count: Limits.accountUsers)))
        #expect(full.wireBytes.count <= Limits.chunkBytes)
        #expect(try ClientReply(wireBytes: full.wireBytes) == full)
        let short = User(email: try #require(Email("a@b")), role: .member, isOperator: false)
        let tooMany = Array(repeating: short, count: Limits.accountUsers + 1)
        let bytes = ClientReply(correlation: 1, body: .users(tooMany)).wireBytes
        #expect(throws: WireError.self) { try ClientReply(wireBytes: bytes) }
    }

    @Test("descriptions of tokens, passwords and requests do not show secrets")
    func secrets() throws {
        let email = try #require(Email("ann@example.com"))
        let password = try #require(Password("open sesame"))
        let user = User(email: email, role: .member, isOperator: false)
        let token = try #require(Token([UInt8](repeating: 0xab, count: 32)))
        let values: [Any] = [
            token, password, ClientRequest.Body.login(email: email, password: password),
            ClientRequest.Body.addUser(user, password: password),
            ClientRequest.Body.changePassword(email, to: password),
            SelfServiceRequest.signUp(email: email, password: password),
            SelfServiceRequest.resetPassword(to: password),
        ]
        for text in values.flatMap({ ["\($0)", String(reflecting: $0)] }) {
            #expect(!text.contains("sesame") && !text.contains("abab") && !text.contains("171"))
        }
    }
}
