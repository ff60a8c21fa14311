import Bus
import FleetProtocol
import Stepping

/// A client that toggles one device after another and waits for each answer: what it feels is what counts.
final class HonestClient {
    private let socket: Socket
    private let token: Token
    private let devices: [DeviceID]
    private var frames = Frames()
    private var generator = SystemRandomNumberGenerator()
    private(set) var asked = 0
    private(set) var applied = 0
    /// What ended otherwise than `applied`, in words.
    private(set) var surprises: [String] = []
    /// The newest request: whoever wants to disturb it knows its id.
    private(set) var newest: RequestID

    init(_ endpoint: Endpoint, context: Context, token: Token, devices: [DeviceID], at now: WallTime) throws {
        (self.token, self.devices) = (token, devices)
        newest = RequestID(at: now, using: &generator)
        socket = try Socket(.dealer, context: context)
        try socket.connect(endpoint)
    }

    /// The answers that came, whatever they said.
    var answered: Int { applied + surprises.count { $0 != "no answer" } }

    /// Toggles the next device.
    ///
    /// - Returns: How long the answer took, milliseconds.
    func toggle(at now: WallTime) throws -> Double {
        newest = RequestID(at: now, using: &generator)
        let command = Command(requestID: newest, device: devices[asked % devices.count], kind: .toggle)
        let request = ClientRequest(correlation: UInt64(asked), token: token, body: .command(command))
        let clock = ContinuousClock()
        let start = clock.now
        _ = try socket.sendWaiting([[], request.wireBytes])
        asked += 1
        guard let reply = try answer(to: request.correlation) else {
            surprises.append("no answer")
            return .infinity
        }
        if case .outcome(let report) = reply.body, case .applied = report.outcome {
            applied += 1
        } else {
            surprises.append("\(reply.body)")
        }
        return (clock.now - start) / .milliseconds(1)
    }

    func close() {
        socket.close()
    }

    private func answer(to correlation: UInt64) throws -> ClientReply? {
        while try socket.receiveWaiting(into: &frames) {
            let reply = try ClientReply(wireBytes: frames.array(at: 1))
            if reply.correlation == correlation { return reply }
        }
        return nil
    }
}
