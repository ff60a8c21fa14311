import FleetProtocol
import Stepping

/// A client's toggle, to bytes and back.
enum WireBench {
    static func requests(_ count: Int) throws -> () throws -> Void {
        guard let token = Token([UInt8](repeating: 7, count: Token.length)) else { throw BenchFailure.setUp }
        var generator = SeededGenerator(seed: 1)
        let command = Command(
            requestID: RequestID(at: WallTime(unixMilliseconds: 1_800_000_000_000), using: &generator),
            device: DeviceID(fleetSeed: 1, index: 1), kind: .toggle, patience: .seconds(5))
        let request = ClientRequest(correlation: 1, token: token, body: .command(command))
        return {
            for _ in 0..<count {
                guard try ClientRequest(wireBytes: request.wireBytes) == request else {
                    throw BenchFailure.noAnswer
                }
            }
        }
    }
}
