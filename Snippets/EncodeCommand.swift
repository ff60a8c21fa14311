// Makes a command, encodes it as a message of the wire protocol, and decodes it.
import FleetProtocol

let now = WallTime(unixMilliseconds: 1_769_860_801_234)
var generator = SeededGenerator(seed: 1)

// A client makes the request ID once, and repeats the request under it.
let requestID = RequestID(at: now, using: &generator)
let device = DeviceID(fleetSeed: 1, index: 0)
let change = ACStateChange(mode: .heat, targetTemperature: 21)
let command = Command(requestID: requestID, device: device, kind: .set(change))
let request = ClientRequest(correlation: 1, token: nil, body: .command(command))

let bytes = request.wireBytes
let decoded = try ClientRequest(wireBytes: bytes)
print("\(bytes.count) bytes, equal after decoding: \(decoded == request)")

// A bound that a peer exceeds, or a malformed field, is an error and never a crash.
do {
    _ = try ClientRequest(wireBytes: [0xff])
} catch {
    print("refused: \(error)")
}

// Capabilities state why a device does not support a change; nil if it does.
let state = ACState(isOn: true, mode: .cool, targetTemperature: 24, fanLevel: .auto)
let objection = Capabilities.splitUnit.objection(to: ACStateChange(targetTemperature: 99), of: state)
print(objection ?? "supported")
