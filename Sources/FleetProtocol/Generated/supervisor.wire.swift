// Made by protoc-gen-fleetwire from sensibus/v1/supervisor.proto: `make proto` makes it again.
// swift-format-ignore-file

extension CloudFault {
    /// The kinds of faults.
    public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
        /// Requests are executed and answered late.
        case slow
        /// Requests are neither executed nor answered.
        case hang
        /// Requests are answered with an error status, and not executed.
        case error
        /// Requests are executed, and the response has no result.
        case noResult
        /// Changes are not executed, and the response says that they failed.
        case failed
        /// Pods appear as dead, and changes of them fail.
        case offline
        /// Clients that exceed Sensibo's rate limit are rejected.
        case limit
        /// A key of pods is null, or missing.
        case badPod
        /// Pods appear with an earlier state.
        case lag
        /// Changes of a state are not executed: the response says that the remote lacks the code.
        case noCode
        /// Requests are executed, and the connection is reset in place of a response.
        case reset
        /// Requests are executed, and the body of the response is cut short.
        case truncated
        /// Requests are executed, and the response is a page of HTML with status 200.
        case html
    }
}

extension CloudFault.Kind {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .slow
        case 2: self = .hang
        case 3: self = .error
        case 4: self = .noResult
        case 5: self = .failed
        case 6: self = .offline
        case 7: self = .limit
        case 8: self = .badPod
        case 9: self = .lag
        case 10: self = .noCode
        case 11: self = .reset
        case 12: self = .truncated
        case 13: self = .html
        default: throw .malformed(field, "a fault of the cloud")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .slow: 1
        case .hang: 2
        case .error: 3
        case .noResult: 4
        case .failed: 5
        case .offline: 6
        case .limit: 7
        case .badPod: 8
        case .lag: 9
        case .noCode: 10
        case .reset: 11
        case .truncated: 12
        case .html: 13
        }
    }
}

extension CloudFault {
    /// The requests that a fault affects.
    public enum Requests: UInt8, CaseIterable, Hashable, Sendable {
        case all
        case reads
        case writes
    }
}

extension CloudFault.Requests {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .all
        case 1: self = .reads
        case 2: self = .writes
        default: throw .malformed(field, "a kind of requests")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .all: 0
        case .reads: 1
        case .writes: 2
        }
    }
}

extension CloudFault {
    /// Keys of a pod object.
    public enum PodKey: UInt8, CaseIterable, Hashable, Sendable {
        case acState
        case connectionStatus
        case room
        case measurements
        case remoteCapabilities
        case productModel
        case firmwareVersion
        case serial
        case macAddress
        case location
        case sensorsCalibration
        case motionSensors
        case schedules
        case timer
        case smartMode
        case filtersCleaning
        case pureBoostConfig
        case temperatureUnit
        case id
        case firmwareType
        case currentlyAvailableFirmwareVersion
        case mainMeasurementsSensor
        case roomIsOccupied
        case antiMoldConfig
        case autoOffEnabled
        case autoOffMinutes
    }
}

extension CloudFault.PodKey {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 0: self = .acState
        case 1: self = .connectionStatus
        case 2: self = .room
        case 3: self = .measurements
        case 4: self = .remoteCapabilities
        case 5: self = .productModel
        case 6: self = .firmwareVersion
        case 7: self = .serial
        case 8: self = .macAddress
        case 9: self = .location
        case 10: self = .sensorsCalibration
        case 11: self = .motionSensors
        case 12: self = .schedules
        case 13: self = .timer
        case 14: self = .smartMode
        case 15: self = .filtersCleaning
        case 16: self = .pureBoostConfig
        case 17: self = .temperatureUnit
        case 18: self = .id
        case 19: self = .firmwareType
        case 20: self = .currentlyAvailableFirmwareVersion
        case 21: self = .mainMeasurementsSensor
        case 22: self = .roomIsOccupied
        case 23: self = .antiMoldConfig
        case 24: self = .autoOffEnabled
        case 25: self = .autoOffMinutes
        default: throw .malformed(field, "a key of pods")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .acState: 0
        case .connectionStatus: 1
        case .room: 2
        case .measurements: 3
        case .remoteCapabilities: 4
        case .productModel: 5
        case .firmwareVersion: 6
        case .serial: 7
        case .macAddress: 8
        case .location: 9
        case .sensorsCalibration: 10
        case .motionSensors: 11
        case .schedules: 12
        case .timer: 13
        case .smartMode: 14
        case .filtersCleaning: 15
        case .pureBoostConfig: 16
        case .temperatureUnit: 17
        case .id: 18
        case .firmwareType: 19
        case .currentlyAvailableFirmwareVersion: 20
        case .mainMeasurementsSensor: 21
        case .roomIsOccupied: 22
        case .antiMoldConfig: 23
        case .autoOffEnabled: 24
        case .autoOffMinutes: 25
        }
    }
}

extension FleetProcess {
    /// The states of a process.
    public enum State: UInt8, CaseIterable, Hashable, Sendable {
        case running
        case restarting
        /// It died, and stays dead until it is restarted on request.
        case dead
        case stopped
    }
}

extension FleetProcess.State {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .running
        case 2: self = .restarting
        case 3: self = .dead
        case 4: self = .stopped
        default: throw .malformed(field, "a state")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .running: 1
        case .restarting: 2
        case .dead: 3
        case .stopped: 4
        }
    }
}

/// A request to the supervisor of a local fleet.
public enum SupervisorRequest: Equatable, Sendable {
    case processes
    /// Stops a process if it is running, and starts it again.
    case restart(String)
    case endFleet
    /// A test server begins again as at its start; other fleets refuse.
    case reset
    /// Nodes that start from now on use another scenario, with the same devices.
    /// - `scenario`: A name, or the absolute path of a file.
    /// - `day`: The cloud faults of that scenario; absent: none.
    /// - `beganAt`: When its first day began; absent: unknown.
    case scenario(String, CloudDay, beganAt: WallTime?)
    /// Changes the planned number of devices. The supervisor starts a node for additional devices. The sender retires
    /// surplus devices, and then sends Trim.
    case scale(devices: UInt32)
    /// The devices beyond the plan are retired: nodes without other devices are stopped.
    case trim
    /// Injects a cloud fault; answered when a gateway applies it, or after two seconds.
    case injectCloud(CloudFault, for: Duration)
    /// Clears the cloud faults; answered like InjectCloud.
    case healCloud
    /// Requests the active cloud faults.
    case cloud
    /// Reports which plan a gateway applies, and the requests that it affected; answered with a newer plan if there is
    /// one.
    case cloudReport(CloudReport)
}

extension SupervisorRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var `protocol` = UInt32(0)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 10...13, 30...36: try fields.read(&body)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        self = try SupervisorRequest(wire: body.required("body: a request of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            write(to: &fields)
        }
    }
}

extension SupervisorRequest {
    /// The case that the message in `SupervisorRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 10: self = .processes
        case 11: self = .restart(try RestartProcessFields.read(choice.message))
        case 12: self = .endFleet
        case 13: self = .reset
        case 30:
            let (scenario, day, beganAt) = try ScenarioPlanFields.read(choice.message)
            self = .scenario(scenario, day, beganAt: beganAt)
        case 31: self = .scale(devices: try ScaleFields.read(choice.message))
        case 32: self = .trim
        case 33:
            let (fault, duration) = try InjectCloudFields.read(choice.message)
            self = .injectCloud(fault, for: duration)
        case 34: self = .healCloud
        case 35: self = .cloud
        default: self = .cloudReport(try CloudReport(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .processes: fields.put(10) { _ in }
        case .restart(let name): fields.put(11) { RestartProcessFields.write(name, into: &$0) }
        case .endFleet: fields.put(12) { _ in }
        case .reset: fields.put(13) { _ in }
        case .scenario(let scenario, let day, let beganAt): fields.put(30) { ScenarioPlanFields.write(scenario, day, beganAt, into: &$0) }
        case .scale(let devices): fields.put(31) { ScaleFields.write(devices, into: &$0) }
        case .trim: fields.put(32) { _ in }
        case .injectCloud(let fault, let duration): fields.put(33) { InjectCloudFields.write(fault, duration, into: &$0) }
        case .healCloud: fields.put(34) { _ in }
        case .cloud: fields.put(35) { _ in }
        case .cloudReport(let value): fields.put(36, value)
        }
    }
}

/// The fields of `RestartProcess`.
enum RestartProcessFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> String {
        var name = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            default: break
            }
        }
        return name
    }

    static func write(
        _ name: String, into fields: inout FieldWriter
    ) {
        fields.put(1, name)
    }
}

/// The fields of `ScenarioPlan`.
enum ScenarioPlanFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (String, CloudDay, WallTime?) {
        var scenario = ""
        var day: FieldReader?
        var beganMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&scenario)
            case 2: try fields.read(&day)
            case 3: try fields.read(&beganMs)
            default: break
            }
        }
        guard (1...Limits.scenarioBytes).contains(scenario.utf8.count) else { throw .malformed("scenario", "1 to \(Limits.scenarioBytes) bytes") }
        return (scenario, try day.map { value throws(WireError) in try CloudDay(wire: value) } ?? CloudDay(), try beganMs.map { value throws(WireError) in try WallTime(wire: value, field: "began_ms") })
    }

    static func write(
        _ scenario: String, _ day: CloudDay, _ beganAt: WallTime?, into fields: inout FieldWriter
    ) {
        fields.put(1, scenario)
        fields.put(2, day)
        fields.put(3, optional: beganAt?.wire)
    }
}

extension CloudFault: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var kind = UInt32(0)
        var requests = UInt32(0)
        var share = 0.0
        var pods: [String] = []
        var delayMs = UInt32(0)
        var status = UInt32(0)
        var times = UInt32(0)
        var key = UInt32(0)
        var keyMissing = false
        var path = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&requests)
            case 3: try fields.read(&share)
            case 4: try fields.read(&pods)
            case 5: try fields.read(&delayMs)
            case 6: try fields.read(&status)
            case 7: try fields.read(&times)
            case 8: try fields.read(&key)
            case 9: try fields.read(&keyMissing)
            case 10: try fields.read(&path)
            default: break
            }
        }
        self.init(try CloudFault.Kind(wire: kind, field: "fault.kind"))
        self.requests = try CloudFault.Requests(wire: requests, field: "fault.requests")
        self.share = share
        self.pods = pods
        self.delay = try Duration(wire: delayMs, field: "fault.delay_ms")
        self.status = try Int(wire: status, field: "fault.status")
        self.times = times == 0 ? nil : times
        self.key = try CloudFault.PodKey(wire: key, field: "fault.key")
        self.isKeyMissing = keyMissing
        self.path = path
        try verify()
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, kind.wire)
        fields.put(2, requests.wire)
        fields.put(3, share)
        for value in pods { fields.put(4, element: value) }
        fields.put(5, UInt32(clamping: delay.wholeMilliseconds))
        fields.put(6, status.wire)
        if let value = times { fields.put(7, value) }
        fields.put(8, key.wire)
        fields.put(9, isKeyMissing)
        fields.put(10, path)
    }
}

extension CloudDay: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var speed = 0.0
        var start = UInt32(0)
        var parts: [CloudDay.Part] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&speed)
            case 2: try fields.read(&start)
            case 3: try fields.read(&parts)
            default: break
            }
        }
        guard CloudDay.speeds.contains(speed) else { throw .malformed("day.speed", "0.1 to 10,000") }
        guard start < CloudDay.seconds else { throw .malformed("day.start", "a second of a day") }
        guard parts.count <= Limits.scenarioCloudFaults else { throw .malformed("day.parts", "at most \(Limits.scenarioCloudFaults)") }
        self.init(speed: speed, start: start, parts: parts)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, speed)
        fields.put(2, start)
        for value in parts { fields.put(3, value) }
    }
}

extension CloudDay {
    /// A fault with the part of the day in which it is in force.
    public struct Part: Hashable, Sendable {
        public var fault: CloudFault
        /// Seconds of the day; equal: all day.
        public var from: UInt32
        /// The second of the day at which it ends, 0 to 86,399; equal to `from` if it is in force all day.
        public var to: UInt32

        public init(_ fault: CloudFault, from: UInt32 = 0, to: UInt32 = 0) {
            self.fault = fault
            self.from = from
            self.to = to
        }
    }
}

extension CloudDay.Part: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var fault: FieldReader?
        var from = UInt32(0)
        var to = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&fault)
            case 2: try fields.read(&from)
            case 3: try fields.read(&to)
            default: break
            }
        }
        guard max(from, to) < CloudDay.seconds else {
            throw .malformed("part", "two seconds of a day")
        }
        self.init(try CloudFault(wire: fault.required("part.fault")), from: from, to: to)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fault)
        fields.put(2, from)
        fields.put(3, to)
    }
}

/// The fields of `InjectCloud`.
enum InjectCloudFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (CloudFault, Duration) {
        var fault: FieldReader?
        var durationMs = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&fault)
            case 2: try fields.read(&durationMs)
            default: break
            }
        }
        let durationMsValue = try Duration(wire: durationMs, field: "duration_ms")
        guard durationMsValue <= Limits.longestFault else { throw .malformed("duration_ms", "at most a day") }
        guard durationMs > 0 else {
            throw .malformed("duration_ms", "1 ms to a day")
        }
        return (try CloudFault(wire: fault.required("inject.fault")), durationMsValue)
    }

    static func write(
        _ fault: CloudFault, _ duration: Duration, into fields: inout FieldWriter
    ) {
        fields.put(1, fault)
        fields.put(2, UInt32(clamping: duration.wholeMilliseconds))
    }
}

/// Reports which plan a gateway applies, and the requests that it affected; answered with a newer plan if there is
/// one.
public struct CloudReport: Hashable, Sendable {
    /// 0: none.
    public var revision: UInt64
    /// The faults that have affected requests since then, at most 64.
    public var meetings: [CloudReport.Meeting]

    public init(revision: UInt64 = 0, meetings: [CloudReport.Meeting] = []) {
        self.revision = revision
        self.meetings = meetings
    }
}

extension CloudReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var revision = UInt64(0)
        var meetings: [CloudReport.Meeting] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&revision)
            case 2: try fields.read(&meetings)
            default: break
            }
        }
        guard meetings.count <= 2 * Limits.cloudFaults else { throw .malformed("report.meetings", "at most \(2 * Limits.cloudFaults)") }
        self.init(revision: revision, meetings: meetings)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, revision)
        for value in meetings { fields.put(2, value) }
    }
}

extension CloudReport {
    /// The number of requests that a fault has affected, over all gateways.
    public struct Meeting: Hashable, Sendable {
        public var number: UInt64
        /// The number of affected requests, over all gateways.
        public var met: UInt64

        public init(number: UInt64 = 0, met: UInt64 = 0) {
            self.number = number
            self.met = met
        }
    }
}

extension CloudReport.Meeting: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var number = UInt64(0)
        var met = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&met)
            default: break
            }
        }
        self.init(number: number, met: met)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number)
        fields.put(2, met)
    }
}

extension CloudPlan: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var revision = UInt64(0)
        var seed = UInt64(0)
        var day: FieldReader?
        var elapsedMs = UInt64(0)
        var faults: [PlannedCloudFault] = []
        var beganMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&revision)
            case 2: try fields.read(fixed: &seed)
            case 3: try fields.read(&day)
            case 4: try fields.read(&elapsedMs)
            case 5: try fields.read(&faults)
            case 6: try fields.read(&beganMs)
            default: break
            }
        }
        let elapsedMsValue = try Duration(wire: elapsedMs, field: "cloud")
        guard elapsedMsValue <= CloudPlan.longestSpan else { throw .malformed("cloud", "spans of time") }
        self.init(
            revision: revision,
            seed: seed,
            day: try CloudDay(wire: day.required("cloud.day")),
            elapsed: elapsedMsValue,
            faults: faults,
            beganAt: try beganMs.map { value throws(WireError) in try WallTime(wire: value, field: "cloud.began_ms") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, revision)
        fields.put(2, fixed: seed)
        fields.put(3, day)
        fields.put(4, UInt64(clamping: elapsed.wholeMilliseconds))
        for value in faults { fields.put(5, value) }
        fields.put(6, optional: beganAt?.wire)
    }
}

/// The fields of `PlannedCloudFault`.
enum PlannedCloudFaultFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (number: UInt64, fault: CloudFault, met: UInt64, isDaily: Bool, age: Duration, remaining: Duration, from: UInt32, to: UInt32, rest: Duration) {
        var number = UInt64(0)
        var fault: FieldReader?
        var met = UInt64(0)
        var daily = false
        var ageMs = UInt64(0)
        var remainingMs = UInt64(0)
        var from = UInt32(0)
        var to = UInt32(0)
        var restMs = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&fault)
            case 3: try fields.read(&met)
            case 4: try fields.read(&daily)
            case 5: try fields.read(&ageMs)
            case 6: try fields.read(&remainingMs)
            case 7: try fields.read(&from)
            case 8: try fields.read(&to)
            case 9: try fields.read(&restMs)
            default: break
            }
        }
        guard max(from, to) < CloudDay.seconds else {
            throw .malformed("planned", "two seconds of a day")
        }
        return (number, try CloudFault(wire: fault.required("planned.fault")), met, daily, try Duration(wire: ageMs, field: "planned.age_ms"), try Duration(wire: remainingMs, field: "planned.remaining_ms"), from, to, try Duration(wire: restMs, field: "planned.rest_ms"))
    }

    static func write(
        number: UInt64 = 0, fault: CloudFault, met: UInt64 = 0, isDaily: Bool = false, age: Duration = .zero, remaining: Duration = .zero, from: UInt32 = 0, to: UInt32 = 0, rest: Duration = .zero, into fields: inout FieldWriter
    ) {
        fields.put(1, number)
        fields.put(2, fault)
        fields.put(3, met)
        fields.put(4, isDaily)
        fields.put(5, UInt64(clamping: age.wholeMilliseconds))
        fields.put(6, UInt64(clamping: remaining.wholeMilliseconds))
        fields.put(7, from)
        fields.put(8, to)
        fields.put(9, UInt64(clamping: rest.wholeMilliseconds))
    }
}

/// The fields of `Scale`.
enum ScaleFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var devices = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices)
            default: break
            }
        }
        return devices
    }

    static func write(
        _ devices: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, devices)
    }
}

/// The size of a fleet. Device IDs follow from the seed and the indices, from 0.
public struct FleetSize: Hashable, Sendable {
    public var seed: UInt64
    /// Planned devices.
    public var devices: UInt32
    /// Devices that its nodes may host at present.
    public var hosted: UInt32
    /// Planned nodes.
    public var nodes: UInt32

    public init(seed: UInt64 = 0, devices: UInt32 = 0, hosted: UInt32 = 0, nodes: UInt32 = 0) {
        self.seed = seed
        self.devices = devices
        self.hosted = hosted
        self.nodes = nodes
    }
}

extension FleetSize: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var seed = UInt64(0)
        var devices = UInt32(0)
        var hosted = UInt32(0)
        var nodes = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&seed)
            case 2: try fields.read(&devices)
            case 3: try fields.read(&hosted)
            case 4: try fields.read(&nodes)
            default: break
            }
        }
        self.init(seed: seed, devices: devices, hosted: hosted, nodes: nodes)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, seed)
        fields.put(2, devices)
        fields.put(3, hosted)
        fields.put(4, nodes)
    }
}

/// A reply of the supervisor.
public struct SupervisorReply: Equatable, Sendable {
    /// Empty: success. Otherwise an error message.
    public let failure: String?
    /// The processes, in the order of their start.
    public let processes: [FleetProcess]
    /// In replies to Scale and Trim.
    public let size: FleetSize?
    /// In replies about the cloud; in replies to CloudReport only if the gateway applies another plan.
    public let cloud: CloudPlan?
    /// In the reply to HealCloud: the number of cleared faults.
    public let endedFaults: UInt32
    /// In the reply to ListProcesses.
    public let fleet: FleetSummary?

    public init(failure: String? = nil, processes: [FleetProcess] = [], size: FleetSize? = nil, cloud: CloudPlan? = nil, endedFaults: UInt32 = 0, fleet: FleetSummary? = nil) {
        self.failure = failure
        self.processes = processes
        self.size = size
        self.cloud = cloud
        self.endedFaults = endedFaults
        self.fleet = fleet
    }
}

extension SupervisorReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var `protocol` = UInt32(0)
        var error = ""
        var processes: [FleetProcess] = []
        var size: FieldReader?
        var cloud: FieldReader?
        var endedFaults = UInt32(0)
        var fleet: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&`protocol`)
            case 2: try fields.read(&error)
            case 3: try fields.read(&processes)
            case 4: try fields.read(&size)
            case 5: try fields.read(&cloud)
            case 6: try fields.read(&endedFaults)
            case 7: try fields.read(&fleet)
            default: break
            }
        }
        try WireError.check(version: `protocol`)
        self.init(
            failure: error.isEmpty ? nil : error,
            processes: processes,
            size: try size.map { value throws(WireError) in try FleetSize(wire: value) },
            cloud: try cloud.map { value throws(WireError) in try CloudPlan(wire: value) },
            endedFaults: endedFaults,
            fleet: try fleet.map { value throws(WireError) in try FleetSummary(wire: value) })
    }

    public var wireBytes: [UInt8] {
        FieldWriter.message { fields in
            if let value = failure { fields.put(2, value) }
            for value in processes { fields.put(3, value) }
            if let value = size { fields.put(4, value) }
            if let value = cloud { fields.put(5, value) }
            fields.put(6, endedFaults)
            if let value = fleet { fields.put(7, value) }
        }
    }
}

/// The scenario and the age of a fleet.
public struct FleetSummary: Hashable, Sendable {
    /// The scenario of nodes that start now: a name, or the absolute path of a file.
    public var scenario: String
    /// The age of the supervisor, milliseconds.
    public var uptime: Duration

    public init(scenario: String = "", uptime: Duration = .zero) {
        self.scenario = scenario
        self.uptime = uptime
    }
}

extension FleetSummary: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var scenario = ""
        var uptimeMs = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&scenario)
            case 2: try fields.read(&uptimeMs)
            default: break
            }
        }
        self.init(scenario: scenario, uptime: try Duration(wire: uptimeMs, field: "uptime_ms"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, scenario)
        fields.put(2, UInt64(clamping: uptime.wholeMilliseconds))
    }
}

/// One process of a local fleet.
public struct FleetProcess: Hashable, Sendable {
    public let name: String
    public let state: FleetProcess.State
    /// The process ID; 0 while it is not running.
    public let processID: Int32?
    public let restarts: UInt32
    /// How the last run ended, as text.
    public let lastEnd: String

    public init(name: String = "", state: FleetProcess.State, processID: Int32? = nil, restarts: UInt32 = 0, lastEnd: String = "") {
        self.name = name
        self.state = state
        self.processID = processID
        self.restarts = restarts
        self.lastEnd = lastEnd
    }
}

extension FleetProcess: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var name = ""
        var state = UInt32(0)
        var pid = Int32(0)
        var restarts = UInt32(0)
        var lastEnd = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&state)
            case 3: try fields.read(&pid)
            case 4: try fields.read(&restarts)
            case 5: try fields.read(&lastEnd)
            default: break
            }
        }
        self.init(
            name: name,
            state: try FleetProcess.State(wire: state, field: "process.state"),
            processID: pid == 0 ? nil : pid,
            restarts: restarts,
            lastEnd: lastEnd)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name)
        fields.put(2, state.wire)
        if let value = processID { fields.put(3, value) }
        fields.put(4, restarts)
        fields.put(5, lastEnd)
    }
}
