import FleetProtocol
import Foundation
import Testing

@testable import GatewayCore
@testable import gateway

@Suite("The OpenAPI document of Sensibo's API")
struct OpenAPITests {
    private let document: Any

    init() throws {
        let text = try #require(gateway.EmbeddedText.files["SensiboAPI/openapi.json"])
        document = try JSONSerialization.jsonObject(with: Data(text.withUTF8Buffer(Array.init)))
    }

    /// The value at a path of keys in the document's components; `*` stands for `properties`.
    private func component(_ path: String) throws -> Any {
        try "components/\(path)".split(separator: "/").reduce(document) { value, key in
            let object = try #require(value as? [String: Any], "\(path)")
            return try #require(object[key == "*" ? "properties" : String(key)], "\(path)")
        }
    }

    private func keys(_ path: String) throws -> Set<String> {
        Set(try #require(try component(path) as? [String: Any]).keys)
    }

    private func number(_ path: String) throws -> Int { try #require(try component(path) as? Int) }

    // MARK: Routes and errors

    /// The route after another one; a new route has no place before it is here.
    private static func following(_ route: APIRoute) -> APIRoute? {
        func pod(_ part: APIRoute.PodPart) -> APIRoute { .pod("VMe9BNPT", part) }
        return switch route {
        case .me: .pods
        case .pods: .login
        case .login: pod(.whole)
        case .pod(_, let part):
            switch part {
            case .whole: pod(.acStates)
            case .acStates: pod(.acState("on"))
            case .acState: pod(.smartMode)
            case .smartMode: pod(.timer)
            case .timer: pod(.schedules)
            case .schedules: pod(.schedule("abcdefgh"))
            case .schedule: pod(.calibration)
            case .calibration: pod(.pureBoost)
            case .pureBoost: pod(.filterNotification)
            case .filterNotification: pod(.history)
            case .history: pod(.measurements)
            case .measurements: pod(.events)
            case .events: nil
            }
        }
    }

    @Test("its paths and methods equal those of the API")
    func routes() throws {
        let routes = sequence(first: APIRoute.me, next: Self.following)
        let methods = routes.map { ($0.pattern, Set($0.methods.map { $0.rawValue.lowercased() })) }
        let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: Any]])
        let described = paths.mapValues { Set($0.keys).subtracting(["parameters"]) }
        #expect(described == Dictionary(uniqueKeysWithValues: methods))
    }

    /// The error after another one; a new error has no place before it is here.
    private static func following(_ error: APIError) -> APIError? {
        switch error {
        case .loginRequired: .invalidKey
        case .invalidKey: .invalidGrant
        case .invalidGrant: .unsupportedGrant
        case .unsupportedGrant: .noSuchPage
        case .noSuchPage: .methodNotAllowed([.get])
        case .methodNotAllowed: .noSuchPod
        case .noSuchPod: .noTimer
        case .noTimer: .noSchedule
        case .noSchedule: .noSuchPost
        case .noSuchPost: .noSuchUser
        case .noSuchUser: .badRequest("")
        case .badRequest: .tooLarge
        case .tooLarge: .tooSlow
        case .tooSlow: .keyReused
        case .keyReused: .limited(retryAfter: .seconds(1))
        case .limited: .busy(retryAfter: .seconds(1))
        case .busy: .storageFull(retryAfter: .seconds(1))
        case .storageFull: .notAllowed("")
        case .notAllowed: .historyBeyondPlan
        case .historyBeyondPlan: .noSuchRemoteCommand
        case .noSuchRemoteCommand: .unavailable
        case .unavailable: .timedOut
        case .timedOut: .unanswered
        case .unanswered: .broken("")
        case .broken: .refused(status: 421, name: "MisdirectedRequest", "")
        case .refused: .fault(status: 503)
        case .fault: nil
        }
    }

    @Test("its statuses and names of errors equal those of the code")
    func errors() throws {
        var found: [String: Set<String>] = [:]
        var statuses: Set<String> = []
        for error in sequence(first: APIError.loginRequired, next: Self.following) {
            let answer = APIResponse(error, prefersJSON: true)
            statuses.insert("\(answer.status)")
            guard answer.contentType == .json else { continue }
            let json = try Sample.json(answer)
            for (schema, key) in [("Error", "reason"), ("Error", "status"), ("OAuthError", "error")] {
                if let name = json[key] as? String { found["\(schema)/*/\(key)", default: []].insert(name) }
            }
        }
        let described = try keys("responses").filter { Int($0) != nil }
        // The info of the document has those of unknown methods, slow requests and other hosts.
        #expect(described == statuses.subtracting(["405", "408", "421"]))
        for (path, names) in found {
            #expect(try Set(#require(component("schemas/\(path)/enum") as? [String])) == names)
        }
        #expect(found.count == 3)
    }

    // MARK: Schemas

    private static let weekdays = Weekday.allCases.map(\.name)
    private static let shortfalls = StateChange.Shortfall.allCases
    private static let enumerations: [(String, [String])] = [
        ("Mode", ACMode.allCases.map(\.name)), ("FanLevel", FanLevel.allCases.map(\.name)),
        ("Swing", Swing.allCases.map(\.name)), ("Light", Light.allCases.map(\.name)),
        ("HorizontalSwing", HorizontalSwing.allCases.map(\.name)),
        ("TemperatureUnit", TemperatureUnit.allCases.map(\.letter)),
        ("PropertyName", ACProperty.allCases.map(\.rawValue)),
        ("Measure", ClimateReact.Measure.allCases.map(\.name)),
        ("Pod/*/productModel", ProductModel.allCases.map(\.rawValue)),
        ("ChangeDetails/*/status", ["Success"] + shortfalls.map(\.status)),
        ("ChangeDetails/*/reason", ChangeCause.allCases.map(\.reason)),
        ("ChangeDetails/*/causedByScheduleType", ChangeCause.allCases.compactMap(\.scheduleType)),
        ("ChangeDetails/*/failureReason", shortfalls.filter(\.isFailure).map(\.rawValue)),
        ("SettingsFailure/*/status", shortfalls.map { $0.status.lowercased() }),
        ("ScheduleRequest/*/recurOnDaysOfWeek/items", weekdays),
        ("Schedule/*/recurringDays/items", weekdays.map(\.capitalized)),
    ]

    @Test("the names of an enumeration equal those of the code", arguments: enumerations)
    func names(schema: String, names: [String]) throws {
        let described = try #require(try component("schemas/\(schema)/enum") as? [Any])
        #expect(Set(described.compactMap { $0 as? String }) == Set(names))
    }

    @Test("the keys of a pod and of its measurements equal those of the code")
    func pods() throws {
        #expect(try keys("schemas/Pod/*") == Set(PodField.allCases.map(\.rawValue)))
        let air = ProductModel.allCases.flatMap { AirQuantity.measured(by: $0).map { "\($0.name)" } }
        #expect(try keys("schemas/History/*") == Set(air + ["temperature", "humidity"]))
        let own = ["time", "temperature", "humidity", "feelsLike", "motion", "roomIsOccupied", "rssi"]
        #expect(try keys("schemas/Measurements/*") == Set(air + own))
    }

    @Test(
        "the keys of a body equal those that the code reads",
        arguments: [
            "StateRequest", "StateChange", "PropertyRequest", "ClimateReactSwitch", "ClimateReactRequest",
            "TimerRequest", "ScheduleSwitch", "ScheduleRequest", "CalibrationRequest", "PureBoostRequest",
        ])
    func bodies(schema: String) throws {
        var settings = DeviceSettings()
        settings.schedules = [try Sample.schedule(Self.id)]
        let reader = CommandReader(of: try Sample.pod(settings: settings))
        let error = #expect(throws: APIError.self) { try Self.readUnknownKey(of: schema, reader) }
        let list = try #require(error?.message.split(separator: "allowed: ").last)
        #expect(try keys("schemas/\(schema)/*") == Set(String(list).components(separatedBy: ", ")))
    }

    private static func readUnknownKey(of schema: String, _ reader: CommandReader) throws(APIError) {
        let body = Sample.body(#"{"?":1}"#)
        _ =
            switch schema {
            case "StateRequest": try reader.state(body)
            case "StateChange": try reader.state(Sample.body(#"{"acState":{"?":1}}"#))
            case "PropertyRequest": try reader.property("on", body)
            case "ClimateReactSwitch": try reader.climateReactEnabled(body)
            case "ClimateReactRequest": try reader.climateReact(body)
            case "TimerRequest": try reader.timer(body)
            case "ScheduleSwitch": try reader.scheduleEnabled("\(id)", body)
            case "ScheduleRequest": try reader.schedule(body, as: id)
            case "CalibrationRequest": try reader.calibration(body)
            default: try reader.pureBoost(body)
            }
    }

    private static let id = ScheduleID(randomBits: 7)

    @Test("the bounds of numbers, lists and texts are those of the code")
    func bounds() throws {
        let offsets = SensorCalibration.tenths
        #expect(try number("schemas/Offset/minimum") * 10 == Int(offsets.lowerBound))
        #expect(try number("schemas/Offset/maximum") * 10 == Int(offsets.upperBound))
        #expect(
            try number("schemas/TimerRequest/*/minutesFromNow/maximum") * 60
                == Int(SettingChange.timerSeconds.upperBound))
        #expect(try number("parameters/IdempotencyKey/schema/maxLength") == IdempotencyKey.bytesAtMost)
        #expect(try number("schemas/Changes/*/result/maxItems") == APIResponse.changesAtMost)
        #expect(try number("schemas/Events/*/result/maxItems") == PodHistory.changesAtMost)
    }
}
