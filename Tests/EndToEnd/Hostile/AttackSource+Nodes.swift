import FleetProtocol
import ProcessSupport

/// The attacks on `devices` and `telemetry`.
extension AttackSource {
    mutating func node() -> Attack {
        switch number(0...99) {
        case 0..<10: refused(.truncated, cutMessage())
        case 10..<20: refused(.wrongVersion, RawMessage.version(oneOf([0, 2, .max])).fixed64(2, 1).bytes)
        case 20..<30: refused(.unknownKind, RawMessage.version(1).bytes(99, noise(0...50)).bytes)
        case 30..<40: refused(.garbage, noise(0...2_000))
        case 40..<52: refused(.malformed, halfHello())
        case 52..<58: wrongFrames([someMessage(), noise(0...5)], atMost: 5)
        case 58..<62: Attack(kind: .manyFrames, messages: [manyFrames(someMessage())], refusedAs: "frames")
        case 62..<67: accepted(.duplicate, [hello(0), hello(0)])
        case 67..<75: wrongOrder()
        case 75..<82: accepted(.foreign, [hello(0), message(0, .result(foreignResult()))])
        case 82..<88: accepted(.claim, [hello(0), rows(0), hello(1), rows(1)])
        case 88..<94: hugeNumbers()
        case 94: Attack(kind: .overMaximum, connection: .own, messages: [[noise(70_000...70_000)]])
        case 95..<98: Attack(kind: .leaver, connection: .own, messages: [[someMessage()]], answers: nil)
        default: brokenTransport(as: "DEALER", payload: someMessage())
        }
    }

    mutating func telemetry() -> Attack {
        let topic = Topic.telemetry
        return switch number(0...99) {
        case 0..<12:
            telemetry(.truncated, Array(someTelemetry().dropLast(number(1...8))), refusedAs: "telemetry")
        case 12..<24:
            telemetry(.wrongVersion, RawMessage.version(oneOf([0, 2, .max])).bytes, refusedAs: "telemetry")
        case 24..<40: telemetry(.garbage, noise(0...2_000), refusedAs: "telemetry")
        case 40..<52: telemetry(.hugeNumbers, hugeTelemetry(), refusedAs: "telemetry")
        case 52..<64: telemetry(.foreign, someTelemetry())
        case 64..<72: telemetry(.duplicate, someTelemetry(), times: 2)
        case 72..<80: Attack(kind: .wrongFrames, messages: [[topic + noise(0...9)]], refusedAs: "frames")
        case 80..<88: wrongFrames([topic, someTelemetry(), noise(0...5)], atMost: 5)
        case 88..<96: Attack(kind: .manyFrames, messages: [manyFrames(topic)], refusedAs: "frames")
        default: brokenTransport(as: "PUB", payload: topic)
        }
    }

    private func refused(_ kind: Attack.Kind, _ bytes: [UInt8]) -> Attack {
        Attack(kind: kind, messages: [[bytes]], refusedAs: "node")
    }

    private mutating func accepted(_ kind: Attack.Kind, _ messages: [[UInt8]]) -> Attack {
        Attack(kind: kind, messages: messages.map { [$0] }, answers: nil)
    }

    private func telemetry(
        _ kind: Attack.Kind, _ bytes: [UInt8], times: Int = 1, refusedAs word: String? = nil
    ) -> Attack {
        Attack(
            kind: kind, messages: Array(repeating: [Topic.telemetry, bytes], count: times), refusedAs: word)
    }

    /// More frames than allowed, or fewer than are read.
    private mutating func wrongFrames(_ frames: [[UInt8]], atMost limit: Int) -> Attack {
        let more = (0..<number(0...limit - frames.count)).map { _ in noise(0...9) }
        return Attack(kind: .wrongFrames, messages: [frames + more], refusedAs: "frames")
    }

    private func boot(_ index: Int) -> BootID { BootID(bits: 0xbad_b007 + UInt64(index)) }

    private func message(
        _ index: Int, _ body: NodeMessage.Body, bootID: BootID? = nil,
        lastNumber: ChangeNumber = ChangeNumber(1)
    ) -> [UInt8] {
        NodeMessage(bootID: bootID ?? boot(index), lastNumber: lastNumber, body: body).wireBytes
    }

    private func hello(
        _ index: Int, _ bootID: BootID? = nil, lastNumber: ChangeNumber = ChangeNumber(1)
    ) -> [UInt8] {
        guard let account = Self.account else { preconditionFailure("evil is an account's name") }
        let range = DeviceRange(seed: 99, firstIndex: 0, count: 1_000_000)
        let grant = loot.nodes.grant(range, to: Self.node[index], of: account)
        let hello = NodeHello(node: Self.node[index], account: account, devices: 1_000_000, grant: grant)
        return message(index, .hello(hello), bootID: bootID, lastNumber: lastNumber)
    }

    /// The honest fleet's devices, and a few unknown ones, claimed by this node.
    private func rows(_ index: Int, _ bootID: BootID? = nil, largest: UInt64 = 1) -> [UInt8] {
        let own = (0..<5).map { DeviceID(fleetSeed: 99, index: $0) }
        let rows = (loot.devices.map(\.id) + own).map {
            RowChunk.Row(device: row($0, Incarnation(bits: 1), largest: largest), name: "mine")
        }
        let chunk = RowChunk(since: .zero, cursor: 0, nextCursor: .max, isLast: true, rows: rows)
        return message(index, .rows(chunk), bootID: bootID, lastNumber: ChangeNumber(largest))
    }

    private func row(
        _ device: DeviceID, _ incarnation: Incarnation, largest: UInt64 = 1, epoch: Epoch = .zero
    ) -> DeviceRow {
        DeviceRow(
            device: device, number: ChangeNumber(largest),
            reported: DeviceState(
                state: ACState(isOn: true, mode: .heat, targetTemperature: 30, fanLevel: .high),
                version: Version(largest), incarnation: incarnation),
            epoch: epoch, lastCommandNumber: CommandNumber(largest), isConnected: true)
    }

    private mutating func foreignResult(largest: UInt64 = 1, epoch: Epoch = .zero) -> CommandResult {
        let device = honestDevice()
        let row = row(device.id, device.incarnation, largest: largest, epoch: epoch)
        let verdicts: [Verdict] = [
            .applied, .unchanged, .rejected("no"), .expired, .aborted, .staleCommandNumber,
            .commandNumberTaken,
        ]
        return CommandResult(
            commandNumber: CommandNumber(UInt64(number(1...9))), requestID: honest, verdict: oneOf(verdicts),
            judged: row.reported, deviceUs: .max, row: row)
    }

    private mutating func someMessage() -> [UInt8] {
        message(0, .result(foreignResult()))
    }

    private mutating func cutMessage() -> [UInt8] {
        let whole = someMessage()
        return Array(whole.prefix(number(0...whole.count - 1)))
    }

    private mutating func someTelemetry() -> [UInt8] {
        let device = honestDevice()
        let boot = boot(number(0...2))
        return Telemetry(bootID: boot, rows: [row(device.id, device.incarnation)]).wireBytes
    }

    private mutating func hugeTelemetry() -> [UInt8] {
        let device = honestDevice()
        return Telemetry(bootID: boot(0), rows: [row(device.id, device.incarnation, largest: .max)]).wireBytes
    }

    /// A hello with an invalid name, account or number of devices, or without a token.
    private mutating func halfHello() -> [UInt8] {
        let hello: RawMessage =
            switch number(0...7) {
            case 0: RawMessage()
            case 1: RawMessage().text(1, "evil-1").text(2, "evil").varint(3, 1_000_001)
            case 2: RawMessage().text(1, "evil-1").text(2, "evil").varint(3, UInt64(UInt32.max))
            case 3: RawMessage().text(1, "../evil").text(2, "evil").varint(3, 1)
            case 4: RawMessage().text(1, String(repeating: "n", count: 33)).text(2, "evil")
            case 5: RawMessage().text(1, "evil-1").text(2, "Evil/\u{0}")
            case 6: RawMessage().text(1, "node-1").text(2, "demo").varint(3, 20)
            default: RawMessage().bytes(1, noise(1...40) + [0xff]).text(2, "evil")
            }
        return RawMessage.version(1).fixed64(2, 1).varint(3, 1).bytes(10, hello.bytes).bytes
    }

    /// Results before a hello, rows without a pull, and a false goodbye.
    private mutating func wrongOrder() -> Attack {
        let stranger = oneOf([
            message(7, .ping()), message(7, .leaving), message(7, .result(foreignResult())), rows(7),
        ])
        return switch number(0...3) {
        case 0: accepted(.wrongOrder, [hello(0), rows(0), rows(0)])
        case 1: accepted(.wrongOrder, [hello(1), message(1, .leaving), message(1, .ping())])
        default:
            Attack(kind: .wrongOrder, connection: .stranger, messages: [[stranger]], answers: 1)
        }
    }

    /// Numbers near the maximum, each from a node that has just started, about which nothing is known.
    private mutating func hugeNumbers() -> Attack {
        let bootID = BootID(bits: generator.next())
        let largest = ChangeNumber(Limits.largestOrdinal)
        let tooLarge: UInt64 = oneOf([largest.value + 1, .max])
        switch number(0...3) {
        case 0:
            let messages = [
                hello(0, bootID, lastNumber: ChangeNumber(tooLarge)), rows(0, bootID, largest: tooLarge),
            ]
            return Attack(kind: .hugeNumbers, messages: messages.map { [$0] }, refusedAs: "node")
        case 1: return refused(.hugeNumbers, message(0, .result(foreignResult(largest: tooLarge))))
        case 2: return refused(.hugeNumbers, message(0, .result(foreignResult(epoch: Epoch(tooLarge)))))
        default:
            return accepted(
                .hugeNumbers,
                [
                    hello(0, bootID, lastNumber: largest), rows(0, bootID, largest: largest.value),
                    message(0, .ping(), bootID: bootID),
                ])
        }
    }
}
