import FleetProtocol

/// The messages of one toggle, encoded and decoded.
enum WireBench {
    /// The client's request.
    static func request() throws -> ClientRequest {
        guard let token = Token([UInt8](repeating: 7, count: Token.length)) else { throw BenchFailure.setUp }
        let command = Command(
            requestID: identity.requestID, device: identity.device, kind: .toggle, timeout: .seconds(5))
        return ClientRequest(correlation: 1, token: token, body: .command(command))
    }

    /// The controller's command to the node.
    static func command() -> ControllerMessage {
        let command = DeviceCommand(
            identity: identity, change: ACStateChange(isOn: true), base: Version(7), timeToLive: .seconds(5))
        return ControllerMessage(epoch: Epoch(1), body: .command(command))
    }

    /// The node's result.
    static func result() -> NodeMessage {
        let row = DeviceRow(
            device: identity.device, number: ChangeNumber(1_000), reported: state, epoch: Epoch(1),
            lastCommandNumber: identity.commandNumber, isConnected: true)
        let result = CommandResult(
            commandNumber: identity.commandNumber, requestID: identity.requestID, verdict: .applied,
            judged: state,
            deviceUs: 12, row: row)
        return NodeMessage(bootID: BootID(bits: 9), lastNumber: row.number, body: .result(result))
    }

    /// The reply to the client.
    static func reply() throws -> ClientReply {
        guard let email = Email("demo@sensibus.local") else { throw BenchFailure.setUp }
        let timing = OutcomeReport.Timing(totalUs: 200, wireUs: 150, deviceUs: 12, journalUs: 20)
        let report = OutcomeReport(
            requestID: identity.requestID, device: identity.device, outcome: .applied(state), user: email,
            versionBefore: Version(7), attempts: 1, timing: timing)
        return ClientReply(correlation: 1, body: .outcome(report))
    }

    /// Decodes one message.
    static func reading<Value: WireMessage & Equatable>(
        _ make: @escaping @Sendable () throws -> Value
    ) -> Part.Body {
        { count, measure in
            let value = try make()
            let bytes = value.wireBytes
            try measure {
                for _ in 0..<count {
                    guard try Value(wireBytes: bytes) == value else { throw BenchFailure.noReply }
                }
            }
        }
    }

    /// Encodes one message.
    static func writing(_ make: @escaping @Sendable () throws -> some WireMessage) -> Part.Body {
        { count, measure in
            let value = try make()
            let length = value.wireBytes.count
            try measure {
                for _ in 0..<count {
                    guard value.wireBytes.count == length else { throw BenchFailure.noReply }
                }
            }
        }
    }

    private static let identity = CommandIdentity(
        device: DeviceID(fleetSeed: 1, index: 1), incarnation: Incarnation(bits: 0x1234_5678_9abc_def0),
        commandNumber: CommandNumber(7), requestID: RequestID(high: 0x0190_a6e8_7c5b_7d2e, low: 1 << 63 | 5))

    private static let state = DeviceState(
        state: ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto), version: Version(8),
        incarnation: identity.incarnation)
}
