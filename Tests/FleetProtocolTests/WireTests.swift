import FleetProtocol
import Testing

@Suite("The wire")
struct WireTests {
    private static let device = DeviceID(fleetSeed: 1, index: 1)
    private static let id = RequestID(high: 0x0190_a6e8_7c5b_7d2e, low: 0x9a41_3f5b_8c2d_1e07)
    private static let state = DeviceState(
        state: ACState(isOn: true, mode: .heat, targetTemperature: -5, fanLevel: .quiet), version: Version(9),
        incarnation: Incarnation(bits: .max))
    private static let row = DeviceRow(
        device: device, number: ChangeNumber(3), reported: state, epoch: Epoch(4),
        lastCommandNumber: CommandNumber(5),
        isConnected: true)

    private static func report(_ outcome: Outcome) throws -> OutcomeReport {
        OutcomeReport(
            requestID: id, device: device, outcome: outcome, user: try #require(Email("a@b")),
            versionBefore: Version(8), attempts: 2,
            timing: .init(totalUs: 5, queueUs: 1, wireUs: 2, deviceUs: 3, journalUs: 4))
    }

    private static let outcomes: [Outcome] =
        [
            .applied(state), .unchanged(state), .conflict(state), .rejected("no: ü"), .cancelled, .expired,
            .unknown,
        ] + UndeterminedReason.allCases.map { .undetermined($0) }

    private static let refusals: [Refusal] = [
        .offline(lastSeen: nil), .offline(lastSeen: WallTime(unixMilliseconds: 7)),
        .busy(retryAfter: .milliseconds(5)), .storageFull(retryAfter: .milliseconds(5)),
        .unauthenticated, .notFound, .invalid("why"), .idMismatch, .idTooOld(behind: .milliseconds(99)),
        .notAllowed("viewer"),
    ]

    private static let presences: [Presence.Kind] =
        [.online, .stale, .unknown] + Presence.Reason.allCases.map { .offline($0) }

    @Test("every request decodes to the encoded value")
    func requests() throws {
        let bodies: [ClientRequest.Body] = [
            .login(email: try #require(Email("a@b")), password: try #require(Password("p"))),
            .logout(everywhere: true),
            .command(Command(requestID: Self.id, device: Self.device, kind: .toggle)),
            .command(
                Command(
                    requestID: Self.id, device: Self.device,
                    kind: .set(ACStateChange(isOn: false, mode: .dry, targetTemperature: 0, fanLevel: .low)),
                    expected: Self.state.expectation, timeout: .milliseconds(-1))),
            .cancel(Self.id, timeout: .milliseconds(40_000)), .cancel(Self.id, timeout: nil),
            .outcome(Self.id),
            .snapshot(cursor: .max), .snapshot(cursor: 1, end: .max), .status,
            .inject(.offline, devices: [Self.device], duration: .milliseconds(1)),
            .inject(.slow, devices: [Self.device], duration: .seconds(1), delay: .milliseconds(2)),
            .heal([]), .heal([Self.device]), .scenario("x", beganAt: nil), .retire([]),
            .retire([Self.device]),
        ]
        for body in bodies {
            let request = ClientRequest(correlation: .max, token: Token([UInt8](0..<32)), body: body)
            #expect(try ClientRequest(wireBytes: request.wireBytes) == request)
        }
    }

    @Test("every reply decodes to the encoded value")
    func replies() throws {
        let session = Session(
            account: try #require(AccountID("demo")), email: try #require(Email("a@b")), role: .member,
            isOperator: true)
        let snapshotRow = SnapshotChunk.Row(
            device: Self.device, name: "Bedroom 7", node: NodeIndex(1), reported: Self.state,
            isConnected: false,
            connectedSince: WallTime(unixMilliseconds: 1), asOf: WallTime(unixMilliseconds: 2))
        let nodes = try Self.presences.map {
            SnapshotChunk.Node(
                index: NodeIndex(1), name: try #require(NodeName("n")),
                presence: Presence($0, since: WallTime(unixMilliseconds: 3)))
        }
        var bodies: [ClientReply.Body] = [
            .session(session, try #require(Token([UInt8](repeating: 1, count: 32)))), .signedOut(sessions: 3),
            .cancel(Self.id, .cancelled), .cancel(Self.id, .pending),
            .cancel(Self.id, .tooLate(try Self.report(.expired))),
            .snapshot(
                SnapshotChunk(
                    epoch: Epoch(1), sequence: StreamSequence(2), nextCursor: 3, isLast: true,
                    isSettling: true, endCursor: 4, deviceCount: 5, nodes: nodes,
                    rows: [snapshotRow, snapshotRow])),
            .status(
                StatusReport(epoch: Epoch(1), devices: 2, online: 3, togglesPerSecond: 0.5, loopLagUs: 9)),
            .injected(devices: 4), .carriedOut(OrderReport(devices: 5, nodes: 2, silentNodes: 1)),
            .carriedOut(OrderReport(refusingNodes: 3, unchangedPopulations: 4)),
        ]
        bodies += Self.refusals.map { .refusal($0) }
        bodies += try Self.outcomes.map { .outcome(try Self.report($0)) }
        for body in bodies {
            let reply = ClientReply(correlation: 77, body: body)
            #expect(try ClientReply(wireBytes: reply.wireBytes) == reply)
        }
    }

    @Test("a command with a setting changes only the setting, also if it has a change of the state")
    func settingAndChange() throws {
        func command(_ change: ACStateChange) -> DeviceCommand {
            DeviceCommand(
                identity: CommandIdentity(
                    device: Self.device, incarnation: Incarnation(bits: 1), commandNumber: CommandNumber(2),
                    requestID: Self.id),
                change: change, base: nil, timeToLive: .milliseconds(9))
        }
        let setting = ControllerMessage(
            epoch: Epoch(3), body: .configure(command(ACStateChange()), .filterCleaned))
        let change = ControllerMessage(epoch: Epoch(3), body: .command(command(ACStateChange(isOn: true))))
        // Protobuf merges the parts of a message.
        #expect(try ControllerMessage(wireBytes: change.wireBytes + setting.wireBytes) == setting)
    }

    @Test("every message between node and controller decodes to the encoded value")
    func nodes() throws {
        let verdicts: [Verdict] = [
            .applied, .unchanged, .conflict, .rejected("99 °C"), .expired, .aborted, .staleIncarnation,
            .staleEpoch,
            .staleCommandNumber, .commandNumberTaken,
        ]
        var bodies: [NodeMessage.Body] = [
            .hello(
                NodeHello(
                    node: try #require(NodeName("node-1")), account: try #require(AccountID("demo")),
                    devices: 1_000_000)),
            .ping(), .leaving,
            .rows(
                RowChunk(
                    since: ChangeNumber(1), cursor: 2, nextCursor: 3, isLast: false, pull: .max,
                    rows: [RowChunk.Row(device: Self.row, name: "Office")])),
        ]
        bodies += verdicts.map {
            .result(
                CommandResult(
                    commandNumber: CommandNumber(1), requestID: Self.id, verdict: $0, judged: Self.state,
                    deviceUs: 6,
                    row: Self.row))
        }
        for body in bodies {
            let message = NodeMessage(bootID: BootID(bits: 1), lastNumber: ChangeNumber(2), body: body)
            #expect(try NodeMessage(wireBytes: message.wireBytes) == message)
        }
        let identity = CommandIdentity(
            device: Self.device, incarnation: Incarnation(bits: 1), commandNumber: CommandNumber(2),
            requestID: Self.id)
        let change = ACStateChange(isOn: true)
        let orders: [ControllerMessage.Body] = [
            .pong(helloWanted: true), .pull(since: ChangeNumber(4), cursor: 5, number: .max),
            .abort(identity),
            .command(
                DeviceCommand(
                    identity: identity, change: change, base: Version(3), timeToLive: .milliseconds(9))),
            .command(
                DeviceCommand(identity: identity, change: change, base: nil, timeToLive: .milliseconds(9))),
            .fault(.flip, devices: [Self.device], duration: .zero), .claimsRefused([Self.device]),
            .heal(OrderID(bits: .max), devices: [Self.device]),
            .scenario(OrderID(bits: 1), "/x.yaml", beganAt: WallTime(unixMilliseconds: 4)),
        ]
        for body in orders {
            let message = ControllerMessage(epoch: Epoch(3), body: body)
            #expect(try ControllerMessage(wireBytes: message.wireBytes) == message)
        }
        let telemetry = Telemetry(bootID: BootID(bits: 9), rows: [Self.row, Self.row])
        #expect(try Telemetry(wireBytes: telemetry.wireBytes) == telemetry)
    }

    @Test("every update decodes to the encoded value")
    func updates() throws {
        let at = WallTime(unixMilliseconds: 5)
        let added = SnapshotChunk.Row(
            device: Self.device, name: "Attic", node: NodeIndex(2), reported: Self.state, isConnected: true,
            connectedSince: at, asOf: at)
        var bodies: [StreamUpdate.Body] = [
            .beat, .reported(Self.device, Self.state), .connection(Self.device, isConnected: true),
            .added(added), .reports([]),
            .reports((1...3).map { _ in ReportedDevice(device: Self.device, state: Self.state) }),
            .removed(Self.device), .outcome(try Self.report(.cancelled)),
        ]
        bodies += try Self.presences.map {
            .node(
                SnapshotChunk.Node(
                    index: NodeIndex(1), name: try #require(NodeName("n")), presence: Presence($0, since: at)),
                devices: 7)
        }
        for body in bodies {
            let update = StreamUpdate(epoch: Epoch(1), sequence: StreamSequence(2), at: at, body: body)
            #expect(try StreamUpdate(wireBytes: update.wireBytes) == update)
        }
    }

    @Test("every message between fleet and supervisor decodes to the encoded value")
    func supervisor() throws {
        for request in [SupervisorRequest.processes, .restart("node-1"), .endFleet] {
            #expect(try SupervisorRequest(wireBytes: request.wireBytes) == request)
        }
        let processes = FleetProcess.State.allCases.map {
            FleetProcess(
                name: "n", state: $0, processID: $0 == .running ? 5 : nil, restarts: 2, lastEnd: "killed")
        }
        let reply = SupervisorReply(failure: "no such process", processes: processes)
        #expect(try SupervisorReply(wireBytes: reply.wireBytes) == reply)
        #expect(try SupervisorReply(wireBytes: SupervisorReply().wireBytes) == SupervisorReply())
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
        "bytes cut or changed anywhere are refused or are another valid message, and never trap",
        arguments: 1...300 as ClosedRange<UInt64>)
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let command = Command(
            requestID: Self.id, device: Self.device, kind: .set(ACStateChange(mode: .cool)),
            expected: Self.state.expectation, timeout: .seconds(1))
        let request = ClientRequest(correlation: 5, token: Token([UInt8](0..<32)), body: .command(command))
            .wireBytes
        let rows = RowChunk(
            since: .zero, cursor: 0, nextCursor: 1, isLast: true,
            rows: [RowChunk.Row(device: Self.row, name: "n")])
        let message = NodeMessage(bootID: BootID(bits: 1), lastNumber: .zero, body: .rows(rows)).wireBytes
        for original in [request, message] {
            var bytes = Array(original.prefix(Int.random(in: 0...original.count, using: &generator)))
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            if let decoded = try? ClientRequest(wireBytes: bytes) {
                #expect(try ClientRequest(wireBytes: decoded.wireBytes) == decoded)
            }
            if let decoded = try? NodeMessage(wireBytes: bytes) {
                #expect(try NodeMessage(wireBytes: decoded.wireBytes) == decoded)
            }
        }
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

    @Test("the error of a refused message has the reason, and the correlation number if it is readable")
    func refusals() throws {
        func problem(_ bytes: [UInt8]) -> WireError? {
            do throws(WireError) {
                _ = try ClientRequest(wireBytes: bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(problem([])?.problem == .version(0))
        #expect(problem([0x08, 0x02])?.problem == .version(2))
        #expect(problem([0xff])?.problem == .notDecodable)
        #expect(
            problem([UInt8](repeating: 0, count: Limits.messageBytes + 1))?.problem
                == .tooLong(bytes: 16_385, limit: 16_384))
        let withoutBody: [UInt8] = [0x08, 0x01, 0x10, 0x2a]
        #expect(problem(withoutBody)?.correlation == 42)
        let shortToken: [UInt8] = [0x08, 0x01, 0x10, 0x2a, 0x1a, 0x01, 0x07]
        #expect(problem(shortToken)?.problem == .malformed(field: "token", expected: "32 bytes"))
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
}
