public import FleetProtocol
import UserText

/// The body of a request to a test server: a JSON object with known members, or nothing.
struct ControlForm {
    private let members: [String: JSONTree]

    /// Decodes a body; refuses members that are not among the known ones.
    init(_ body: [UInt8], _ known: Set<String>) throws(APIError) {
        members = body.isEmpty ? [:] : try JSONTree.object(body)
        guard let other = members.keys.filter({ !known.contains($0) }).min() else { return }
        let allowed = known.sorted().joined(separator: ", ")
        throw .badRequest("unknown member \(other.prefix(40)): allowed are \(allowed)")
    }

    subscript(name: String) -> JSONTree? { members[name].flatMap { $0.isNull ? nil : $0 } }

    /// A member that may be null; nil if it is missing.
    func value(_ name: String) -> JSONTree? { members[name] }

    func text(_ name: String) throws(APIError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.text else { throw .badRequest("\(name) must be a string") }
        return text
    }

    func flag(_ name: String) throws(APIError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.givenFlag else { throw .badRequest("\(name) must be true or false") }
        return flag
    }

    func number(_ name: String, in bounds: ClosedRange<Double>) throws(APIError) -> Double? {
        guard let value = self[name] else { return nil }
        guard let number = value.givenNumber, bounds.contains(number) else {
            throw .badRequest(
                "\(name) must be a number from \(FigureText.decimal(bounds.lowerBound, places: 3)) "
                    + "to \(FigureText.decimal(bounds.upperBound, places: 3))")
        }
        return number
    }

    func texts(_ name: String) throws(APIError) -> [String] {
        guard let value = self[name] else { return [] }
        if let text = value.text { return [text] }
        guard case .array(let values) = value else { throw .badRequest("\(name) must be a list of strings") }
        var texts: [String] = []
        for value in values {
            guard let text = value.text else { throw .badRequest("\(name) must be a list of strings") }
            texts.append(text)
        }
        return texts
    }

    /// A duration: a number of seconds, or a text such as `3h`; above 0, unless none is allowed.
    func duration(
        _ name: String, upTo longest: Duration, orNone: Bool = false
    ) throws(APIError) -> Duration? {
        guard let value = self[name] else { return nil }
        let duration =
            value.number.flatMap { abs($0) < 1e9 ? Duration.seconds($0) : nil }
            ?? value.text.flatMap { try? DurationText.parse($0) }
        guard let duration, duration > .zero || orNone && duration == .zero, duration <= longest else {
            throw .badRequest(
                "\(name) must be a duration \(orNone ? "from" : "above") 0 s and up to \(DurationText.text(longest)): "
                    + "seconds, or a text such as 90s or 3h")
        }
        return duration
    }

    func time(_ name: String) throws(APIError) -> WallTime? {
        guard let text = try text(name) else { return nil }
        guard let time = TimeText.moment(written: text), ClockChange.allows(time) else {
            throw .badRequest("\(name) must be a time such as 2026-03-29T00:30:00Z, from 2000 to 2099")
        }
        return time
    }
}

/// A change of a test server's clock.
public enum ClockChange: Hashable, Sendable {
    /// The longest time that passes at once.
    public static let longest: Duration = .seconds(31 * 86_400)
    /// The last time that the clock shows, the end of 2099.
    public static let end = WallTime(unixMilliseconds: 4_102_444_799_999)

    /// Whether the clock can show a time: it is from 2000 on.
    public static func allows(_ time: WallTime) -> Bool {
        (946_684_800_000...end.unixMilliseconds).contains(time.unixMilliseconds)
    }

    case advance(Duration)
    /// Moves the clock forwards to a time.
    case set(WallTime)
    case hold(Bool)

    /// Decodes `{"advance":"3h"}`, `{"time":"2026-03-29T00:30:00Z"}` or `{"held":true}`, alone or together.
    public static func list(_ body: [UInt8]) throws(APIError) -> [ClockChange] {
        let form = try ControlForm(body, ["advance", "held", "time"])
        var changes: [ClockChange] = []
        if let isHeld = try form.flag("held") { changes.append(.hold(isHeld)) }
        if let time = try form.time("time") { changes.append(.set(time)) }
        if let duration = try form.duration("advance", upTo: longest, orNone: true) {
            changes.append(.advance(duration))
        }
        guard !changes.isEmpty else { throw .badRequest("give advance, time or held") }
        return changes
    }
}

/// The start of a test server's next test: `{}`, or `{"time":"2026-03-29T00:30:00Z","held":true}`.
public struct ResetForm: Hashable, Sendable {
    public let time: WallTime?
    public let isHeld: Bool

    public init(_ body: [UInt8]) throws(APIError) {
        let form = try ControlForm(body, ["held", "time"])
        (time, isHeld) = (try form.time("time"), try form.flag("held") ?? false)
    }
}

/// The scenario that a test begins: `{"scenario":"lively"}`, a name or the path of a file.
public struct ScenarioForm: Hashable, Sendable {
    public let scenario: String

    public init(_ body: [UInt8]) throws(APIError) {
        guard let name = try ControlForm(body, ["scenario"]).text("scenario") else {
            throw .badRequest("scenario is missing")
        }
        scenario = name
    }
}

/// What a test sets in a room: `{"temperature":31.5,"humidity":60,"motion":true,"co2":1400}`.
public struct RoomForm: Hashable, Sendable {
    /// In °C.
    public let celsius: Double?
    /// The relative humidity in percent.
    public let humidityPercent: Double?
    public let sensed: Sensed

    public init(_ body: [UInt8]) throws(APIError) {
        let form = try ControlForm(
            body, ["co2", "humidity", "motion", "occupied", "pm25", "temperature", "tvoc"])
        celsius = try form.number("temperature", in: -20...60)
        humidityPercent = try form.number("humidity", in: 1...100)
        sensed = Sensed(
            motion: try form.flag("motion"), isOccupied: try form.flag("occupied"),
            co2: try form.number("co2", in: 0...10_000).map { Int($0.rounded()) },
            tvoc: try form.number("tvoc", in: 0...60_000).map { Int($0.rounded()) },
            pm25: try form.number("pm25", in: 0...1_000).map { Int($0.rounded()) })
        guard celsius != nil || humidityPercent != nil || !sensed.isEmpty else {
            throw .badRequest("give temperature, humidity, motion, occupied, co2, tvoc or pm25")
        }
        guard sensed.motion != true || sensed.isOccupied != false else {
            throw .badRequest("motion needs an occupied room: give occupied true or leave it out")
        }
    }
}
