import Stepping

/// Another scenario for what starts later, and for the cloud.
struct ScenarioPlan: WireFields {
    let scenario: String
    let day: CloudDay

    init(scenario: String, day: CloudDay) {
        self.scenario = scenario
        self.day = day
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (scenario, day) = ("", FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&scenario)
            case 2: try fields.read(&day)
            default: break
            }
        }
        self.scenario = try ScenarioOrder.checked(scenario)
        self.day = try day.map { day throws(WireError) in try CloudDay(wire: day) } ?? CloudDay()
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, scenario)
        fields.put(2, day)
    }
}

/// A fault of the cloud, and for how long.
struct CloudOrder: WireFields {
    let fault: CloudFault
    let duration: Duration

    init(fault: CloudFault, duration: Duration) {
        self.fault = fault
        self.duration = duration
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (fault, milliseconds) = (FieldReader?.none, UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&fault)
            case 2: try fields.read(&milliseconds)
            default: break
            }
        }
        guard let fault else { throw .missing("inject.fault") }
        duration = try Fault.duration(wireMilliseconds: milliseconds)
        guard duration > .zero else { throw .malformed("duration_ms", "1 ms to a day") }
        self.fault = try CloudFault(wire: fault)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fault)
        fields.put(2, UInt32(clamping: duration.wholeMilliseconds))
    }
}

extension PlannedCloudFault: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (number, fault, met) = (UInt64(0), FieldReader?.none, UInt64(0))
        var (isDaily, age, remaining) = (false, UInt64(0), UInt64(0))
        var (from, to, rest) = (UInt32(0), UInt32(0), UInt64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&fault)
            case 3: try fields.read(&met)
            case 4: try fields.read(&isDaily)
            case 5: try fields.read(&age)
            case 6: try fields.read(&remaining)
            case 7: try fields.read(&from)
            case 8: try fields.read(&to)
            case 9: try fields.read(&rest)
            default: break
            }
        }
        guard let fault else { throw .missing("planned.fault") }
        guard max(from, to) < CloudDay.seconds else { throw .malformed("planned", "two seconds of a day") }
        self.init(
            number: number, fault: try CloudFault(wire: fault),
            span: isDaily
                ? .daily(from: from, to: to, rest: try CloudPlan.duration(rest))
                : .injected(age: try CloudPlan.duration(age), remaining: try CloudPlan.duration(remaining)),
            met: met)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number)
        fields.put(2, fault)
        fields.put(3, met)
        switch span {
        case .injected(let age, let remaining):
            fields.put(5, UInt64(clamping: age.wholeMilliseconds))
            fields.put(6, UInt64(clamping: remaining.wholeMilliseconds))
        case .daily(let from, let to, let rest):
            fields.put(4, true)
            fields.put(7, from)
            fields.put(8, to)
            fields.put(9, UInt64(clamping: rest.wholeMilliseconds))
        }
    }
}

extension CloudPlan: WireFields {
    /// No span of a plan is longer: a hundred years.
    private static let longestMilliseconds: UInt64 = 100 * 366 * 86_400 * 1_000

    /// A span of time in so many milliseconds.
    ///
    /// - Throws: `malformed` where it is longer than a hundred years.
    static func duration(_ milliseconds: UInt64) throws(WireError) -> Duration {
        guard milliseconds <= longestMilliseconds else { throw .malformed("cloud", "spans of time") }
        return .milliseconds(Int64(milliseconds))
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (revision, seed, elapsed) = (UInt64(0), UInt64(0), UInt64(0))
        var (day, faults) = (FieldReader?.none, [PlannedCloudFault]())
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&revision)
            case 2: try fields.read(fixed: &seed)
            case 3: try fields.read(&day)
            case 4: try fields.read(&elapsed)
            case 5: try fields.read(&faults)
            default: break
            }
        }
        guard let day else { throw .missing("cloud.day") }
        self.init(
            revision: revision, seed: seed, day: try CloudDay(wire: day),
            elapsed: try Self.duration(elapsed), faults: faults)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, revision)
        fields.put(2, fixed: seed)
        fields.put(3, day)
        fields.put(4, UInt64(clamping: elapsed.wholeMilliseconds))
        for fault in faults { fields.put(5, fault) }
    }
}

extension CloudReport.Meeting: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        self.init(number: 0, met: 0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&met)
            default: break
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, number)
        fields.put(2, met)
    }
}

extension CloudReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        self.init(revision: 0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&revision)
            case 2: try fields.read(&meetings)
            default: break
            }
        }
        guard meetings.count <= 2 * Limits.cloudFaults else {
            throw .malformed("report.meetings", "at most \(2 * Limits.cloudFaults)")
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, revision)
        for meeting in meetings { fields.put(2, meeting) }
    }
}
