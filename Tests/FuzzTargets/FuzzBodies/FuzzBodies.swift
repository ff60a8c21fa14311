import FleetProtocol
public import FuzzSupport
import GatewayCore

/// The decoders of the bodies of HTTP requests.
public enum FuzzBodies {
    /// Its target; the first byte of an input chooses the decoder.
    public static let targets = [
        FuzzTarget("http-body", heapBytes: 512 * 1_024) { input, heap in
            guard let letter = input.first, let read = readers[letter] else { return }
            guard let body = try heap.decode(Array(input.dropFirst()), { try read($0) }) else { return }
            try FuzzTarget.expectSameAfterEncoding(ClientRequest(correlation: 1, token: nil, body: body))
        }
    ]

    private typealias Reader = @Sendable (_ body: [UInt8]) throws -> ClientRequest.Body

    /// The readers of bodies, by the first byte of an input.
    private static let readers: [UInt8: Reader] = [
        UInt8(ascii: "a"): { command(try reader.state($0)) },
        UInt8(ascii: "b"): { command(try reader.pureBoost($0)) },
        UInt8(ascii: "c"): { command(try reader.climateReact($0)) },
        UInt8(ascii: "e"): { command(try reader.climateReactEnabled($0)) },
        UInt8(ascii: "k"): { command(try reader.calibration($0)) },
        UInt8(ascii: "p"): { body in
            let name = body.prefix { $0 != UInt8(ascii: "\n") }
            let rest = Array(body.dropFirst(name.count + 1))
            return command(try reader.property(String(decoding: name, as: UTF8.self), rest))
        },
        UInt8(ascii: "s"): { body in
            guard let id = ScheduleID("abcdefgh") else { throw FuzzTarget.Violation("no schedule ID") }
            return command(try reader.schedule(body, as: id))
        },
        UInt8(ascii: "t"): { command(try reader.timer($0)) },
        UInt8(ascii: "l"): { body in
            let form = try LoginForm(body)
            return .login(email: form.email, password: form.password)
        },
        UInt8(ascii: "m"): { body in
            let draft = try LogbookReader(body, newID: FuzzTarget.requestID).post()
            return .service(ServiceMessage(LogbookRequest.addPost(draft)))
        },
        UInt8(ascii: "n"): { body in
            let draft = try LogbookReader(body, newID: FuzzTarget.requestID).comment(on: nil)
            return .service(ServiceMessage(LogbookRequest.addComment(draft)))
        },
    ]

    private static func command(_ kind: Command.Kind) -> ClientRequest.Body {
        .command(Command(requestID: FuzzTarget.requestID, device: pod.device, kind: kind))
    }

    private static let reader = CommandReader(of: pod)

    private static let pod = Pod(
        device: DeviceID(fleetSeed: 1, index: 1), name: "Bedroom",
        reported: DeviceState(
            state: ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto),
            version: Version(1), incarnation: Incarnation(bits: 1)),
        asOf: WallTime(unixMilliseconds: 0), presence: Presence(.online, since: WallTime(unixMilliseconds: 0))
    )
}
