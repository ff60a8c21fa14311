import FleetProtocol

/// The attacks on `clients`.
extension AttackSource {
    mutating func client() -> Attack {
        switch number(0...99) {
        case 0..<10: refused(.truncated, cutRequest())
        case 10..<18: refused(.oversize, someRequest() + RawMessage().bytes(99, noise(16_384...40_000)).bytes)
        case 18..<26: refused(.wrongVersion, RawMessage.version(oneOf([0, 2, .max])).varint(2, 7).bytes)
        case 26..<34: refused(.unknownKind, RawMessage.version(1).bytes(99, noise(0...50)).bytes)
        case 34..<44: refused(.garbage, noise(0...2_000))
        case 44..<54: refused(.malformed, malformedRequest())
        case 54..<62: wrongFrames()
        case 62..<67: Attack(kind: .manyFrames, messages: [manyFrames([])], refusedAs: "frames")
        case 67..<72: accepted(.duplicate, times: 2, request(.cancel(freshID(), timeout: nil), token: nil))
        case 72..<78: wrongOrder()
        case 78..<86: foreignRequest()
        case 86..<93: hugeRequest()
        case 93: accepted(.logIn, request(.login(email: stranger(), password: guess()), token: nil))
        case 94: Attack(kind: .overMaximum, connection: .own, messages: [[[], noise(70_000...70_000)]])
        case 95..<98: leaver()
        default: brokenTransport(as: "DEALER", payload: someRequest())
        }
    }

    /// A message of 9 frames or more, including the routing ID.
    mutating func manyFrames(_ first: [UInt8]) -> [[UInt8]] {
        [first] + (0..<number(8...40)).map { _ in noise(0...20) }
    }

    private func refused(_ kind: Attack.Kind, _ bytes: [UInt8]) -> Attack {
        Attack(kind: kind, messages: [[[], bytes]], answers: 1, refusedAs: "client")
    }

    private func accepted(_ kind: Attack.Kind, times: Int = 1, _ bytes: [UInt8]) -> Attack {
        Attack(kind: kind, messages: Array(repeating: [[], bytes], count: times), answers: times)
    }

    private func request(_ body: ClientRequest.Body, token: Token?) -> [UInt8] {
        ClientRequest(correlation: .max, token: token, body: body).wireBytes
    }

    private mutating func someRequest() -> [UInt8] {
        let command = Command(requestID: freshID(), device: honestDevice().id, kind: .toggle)
        return request(.command(command), token: forgedToken())
    }

    private mutating func cutRequest() -> [UInt8] {
        let whole = someRequest()
        return Array(whole.prefix(number(0...whole.count - 1)))
    }

    private mutating func forgedToken() -> Token? {
        Token(noise(Token.length...Token.length))
    }

    private mutating func stranger() -> Email {
        guard let email = Email("user\(number(0...9_999))@example.org") else {
            preconditionFailure("a name, an @ and a host are an address")
        }
        return email
    }

    private mutating func guess() -> Password {
        guard let password = Password("guess \(number(0...9_999))") else {
            preconditionFailure("a few characters are a password")
        }
        return password
    }

    private mutating func malformedRequest() -> [UInt8] {
        let start = RawMessage.version(1).varint(2, .max)
        let id = RawMessage().fixed64(1, freshID().high).fixed64(2, freshID().low).bytes
        return switch number(0...5) {
        case 0: start.bytes(3, noise(31...31)).bytes(16, []).bytes
        case 1: start.bytes(12, RawMessage().bytes(1, id).text(2, "not a device").bytes(10, []).bytes).bytes
        case 2: start.bytes(12, RawMessage().text(2, "abcdefgh").bytes(10, []).bytes).bytes
        case 3: start.bytes(10, RawMessage().text(1, "nobody").text(2, "x").bytes).bytes
        case 4: start.bytes(10, RawMessage().text(1, "a@b").bytes(2, noise(300...600)).bytes).bytes
        default: start.bytes(17, RawMessage().varint(1, 77).varint(3, .max).bytes).bytes
        }
    }

    private mutating func wrongFrames() -> Attack {
        let payload = someRequest()
        let frames = oneOf([
            [payload], [[1], payload], [[], payload, payload], [[], [], [], [], [], payload],
        ])
        return Attack(kind: .wrongFrames, messages: [frames], answers: 1, refusedAs: "frames")
    }

    private mutating func wrongOrder() -> Attack {
        switch number(0...2) {
        case 0: accepted(.wrongOrder, request(.snapshot(cursor: .max), token: loot.token))
        case 1: accepted(.wrongOrder, request(.logout(everywhere: true), token: nil))
        default: accepted(.wrongOrder, request(.outcome(freshID()), token: loot.token))
        }
    }

    /// IDs of other users' requests and devices, with a session that is invalid or has no such device.
    private mutating func foreignRequest() -> Attack {
        let absent = DeviceID(fleetSeed: 666, index: UInt64(number(0...999)))
        let command = Command(requestID: freshID(), device: absent, kind: .toggle)
        return switch number(0...3) {
        case 0: accepted(.foreign, request(.cancel(honest, timeout: nil), token: forgedToken()))
        case 1: accepted(.foreign, request(.outcome(honest), token: nil))
        case 2: accepted(.foreign, request(.command(command), token: loot.token))
        default:
            accepted(
                .foreign,
                request(.inject(.offline, devices: [absent], duration: .seconds(9)), token: loot.token))
        }
    }

    private mutating func hugeRequest() -> Attack {
        let expected = Expectation(
            incarnation: oneOf([loot.abused.incarnation, Incarnation(bits: .max)]),
            version: Version(oneOf([Limits.largestOrdinal, .max])))
        let id = oneOf([freshID(), RequestID(high: .max, low: .max), RequestID(high: 0, low: 0)])
        let timeout: Duration? = oneOf([nil, .milliseconds(Int64.max), .milliseconds(Int64.min), .zero])
        let command = Command(
            requestID: id, device: loot.abused.id, kind: .toggle, expected: expected, timeout: timeout)
        return switch number(0...2) {
        case 0: accepted(.hugeNumbers, request(.command(command), token: loot.token))
        case 1: accepted(.hugeNumbers, request(.cancel(id, timeout: timeout), token: loot.token))
        default: accepted(.hugeNumbers, request(.snapshot(cursor: .max), token: loot.token))
        }
    }

    private mutating func leaver() -> Attack {
        Attack(
            kind: .leaver, connection: .own, messages: [[[], request(.status, token: loot.token)]], answers: 0
        )
    }
}
