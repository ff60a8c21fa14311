// Made by protoc-gen-fleetwire from sensibus/v1/roster.proto: `make proto` makes it again.
// swift-format-ignore-file

/// A request about the roster of the user's account.
public enum RosterRequest: Equatable, Sendable {
    /// Reads the roster of the account, with some of its shifts, by their start.
    case read(RosterPull)
    /// Replaces the heading if the roster has that version. Only owners may send this and the next
    /// two.
    case change(from: RosterVersion, to: RosterHeading)
    /// Stages shifts for an import. This removes shifts that are staged for another import of the account. Staged shifts expire
    /// 60 s after the last message of their import.
    /// - `requestID`: The ID of the import, a UUID of version 7.
    /// - `after`: The number of shifts staged for it before these.
    /// - `shifts`: 1 to 200.
    case stage(RequestID, after: UInt32, [Shift])
    /// Replaces all shifts with the staged ones if the roster has that version; a repeat gets the reply of the
    /// first.
    case replace(RosterImport)
}

extension RosterRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...4: try fields.read(&body)
            default: break
            }
        }
        self = try RosterRequest(wire: body.required("body: a request of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension RosterRequest {
    /// The case that the message in `RosterRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .read(try RosterPull(wire: choice.message))
        case 2:
            let (from, to) = try RosterChangeFields.read(choice.message)
            self = .change(from: from, to: to)
        case 3:
            let (requestID, after, shifts) = try ShiftStageFields.read(choice.message)
            self = .stage(requestID, after: after, shifts)
        default: self = .replace(try RosterImport(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .read(let value): fields.put(1, value)
        case .change(let from, let to): fields.put(2) { RosterChangeFields.write(from, to, into: &$0) }
        case .stage(let requestID, let after, let shifts): fields.put(3) { ShiftStageFields.write(requestID, after, shifts, into: &$0) }
        case .replace(let value): fields.put(4, value)
        }
    }
}

/// The controller's reply to a `RosterRequest`.
public enum RosterReply: Equatable, Sendable {
    /// The roster, with some of its shifts.
    case chunk(RosterChunk)
    /// The roster as stored after the change.
    case changed(Roster)
    /// The number of shifts that are staged for an import.
    /// - `shifts`: The number of shifts staged for it now.
    case staged(shifts: UInt32)
    /// The staged shifts replaced the plan; `strangers` has some of the plan's emails that belong to no user of the
    /// account.
    /// - `strangers`: Emails of its shifts that belong to no user of the account, at most 20.
    case replaced(Roster, strangers: [Email])
}

extension RosterReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...4: try fields.read(&body)
            default: break
            }
        }
        self = try RosterReply(wire: body.required("body: a reply of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension RosterReply {
    /// The case that the message in `RosterReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .chunk(try RosterChunk(wire: choice.message))
        case 2: self = .changed(try RosterChangedFields.read(choice.message))
        case 3: self = .staged(shifts: try ShiftsStagedFields.read(choice.message))
        default:
            let (roster, strangers) = try ShiftsImportedFields.read(choice.message)
            self = .replaced(roster, strangers: strangers)
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .chunk(let value): fields.put(1, value)
        case .changed(let roster): fields.put(2) { RosterChangedFields.write(roster, into: &$0) }
        case .staged(let shifts): fields.put(3) { ShiftsStagedFields.write(shifts, into: &$0) }
        case .replaced(let roster, let strangers): fields.put(4) { ShiftsImportedFields.write(roster, strangers, into: &$0) }
        }
    }
}

/// Reads the roster of the account, with some of its shifts, by their start.
public struct RosterPull: Hashable, Sendable {
    /// Only shifts that end after that time, Unix milliseconds.
    public let from: WallTime
    /// Only shifts that begin before that time, Unix milliseconds; 0: without limit.
    public let until: WallTime?
    /// The cursor: 0 at first, then next_cursor of the last chunk if the version is the same.
    public let cursor: UInt32

    public init(from: WallTime, until: WallTime? = nil, cursor: UInt32 = 0) {
        self.from = from
        self.until = until
        self.cursor = cursor
    }
}

extension RosterPull: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var fromMs = Int64(0)
        var untilMs = Int64(0)
        var cursor = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&fromMs)
            case 2: try fields.read(&untilMs)
            case 3: try fields.read(&cursor)
            default: break
            }
        }
        let fromMsValue = try WallTime(wire: fromMs, field: "roster.from_ms")
        guard Shift.allows(fromMsValue) else { throw .malformed("roster.from_ms", "milliseconds from 1970 to the end of the year 9999") }
        let untilMsValue = try untilMs == 0 ? nil : WallTime(wire: untilMs, field: "roster.until_ms")
        guard Shift.allows(untilMsValue) else { throw .malformed("roster.until_ms", "milliseconds from 1970 to the end of the year 9999") }
        self.init(from: fromMsValue, until: untilMsValue, cursor: cursor)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, from.wire)
        if let value = until { fields.put(2, value.wire) }
        fields.put(3, cursor)
    }
}

/// The roster, with some of its shifts.
public struct RosterChunk: Hashable, Sendable {
    public let roster: Roster
    public let shifts: [Shift]
    /// The cursor of the next pull; valid while the roster has the same version.
    public let nextCursor: UInt32
    public let isLast: Bool

    public init(roster: Roster, shifts: [Shift] = [], nextCursor: UInt32 = 0, isLast: Bool = false) {
        self.roster = roster
        self.shifts = shifts
        self.nextCursor = nextCursor
        self.isLast = isLast
    }
}

extension RosterChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var roster: FieldReader?
        var shifts: [Shift] = []
        var nextCursor = UInt32(0)
        var done = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&roster)
            case 2: try fields.read(&shifts)
            case 3: try fields.read(&nextCursor)
            case 4: try fields.read(&done)
            default: break
            }
        }
        self.init(
            roster: try Roster(wire: roster.required("roster")),
            shifts: shifts,
            nextCursor: nextCursor,
            isLast: done)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, roster)
        for value in shifts { fields.put(2, value) }
        fields.put(3, nextCursor)
        fields.put(4, isLast)
    }
}

/// The roster of an account, without its shifts.
public struct Roster: Hashable, Sendable {
    /// The number of changes; 0: the roster is empty.
    public let version: RosterVersion
    /// The name and the message of the day.
    public let heading: RosterHeading
    /// The time zone in which its shifts were written, a name of the IANA Time Zone Database.
    public let timeZone: TimeZoneName
    /// The number of its shifts, at most 5,000.
    public let shifts: UInt32
    /// Whether only users on duty, and owners, can switch devices.
    public let isEnforced: Bool

    public init(version: RosterVersion, heading: RosterHeading, timeZone: TimeZoneName, shifts: UInt32 = 0, isEnforced: Bool = false) {
        self.version = version
        self.heading = heading
        self.timeZone = timeZone
        self.shifts = shifts
        self.isEnforced = isEnforced
    }
}

extension Roster: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var version = UInt64(0)
        var heading: FieldReader?
        var timeZone = ""
        var shifts = UInt32(0)
        var enforced = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&heading)
            case 3: try fields.read(&timeZone)
            case 4: try fields.read(&shifts)
            case 5: try fields.read(&enforced)
            default: break
            }
        }
        self.init(
            version: try RosterVersion(wire: version, field: "roster.version"),
            heading: try RosterHeading(wire: heading ?? FieldReader([])),
            timeZone: try TimeZoneName(wire: timeZone, field: "roster.time_zone", expected: "1 to \(Limits.timeZoneBytes) of [A-Za-z0-9_+/-]"),
            shifts: shifts,
            isEnforced: enforced)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, version.wire)
        fields.put(2, heading)
        fields.put(3, timeZone.wire)
        fields.put(4, shifts)
        fields.put(5, isEnforced)
    }
}

extension RosterHeading: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var name = ""
        var message = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&message)
            default: break
            }
        }
        do throws(LogbookTextError) {
            try self.init(name: name, message: message)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name)
        fields.put(2, message)
    }
}

/// The fields of `Shift`.
enum ShiftFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (who: String, email: Email?, from: WallTime, to: WallTime) {
        var who = ""
        var email = ""
        var fromMs = Int64(0)
        var toMs = Int64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&who)
            case 2: try fields.read(&email)
            case 3: try fields.read(&fromMs)
            case 4: try fields.read(&toMs)
            default: break
            }
        }
        let fromMsValue = try WallTime(wire: fromMs, field: "shift.from_ms")
        guard Shift.allows(fromMsValue) else { throw .malformed("shift.from_ms", "milliseconds from 1970 to the end of the year 9999") }
        let toMsValue = try WallTime(wire: toMs, field: "shift.to_ms")
        guard Shift.allows(toMsValue) else { throw .malformed("shift.to_ms", "milliseconds from 1970 to the end of the year 9999") }
        return (who, try email.isEmpty ? nil : Email(wire: email, field: "shift.email"), fromMsValue, toMsValue)
    }

    static func write(
        who: String = "", email: Email? = nil, from: WallTime, to: WallTime, into fields: inout FieldWriter
    ) {
        fields.put(1, who)
        if let value = email { fields.put(2, value.wire) }
        fields.put(3, from.wire)
        fields.put(4, to.wire)
    }
}

/// The fields of `RosterChange`.
enum RosterChangeFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RosterVersion, RosterHeading) {
        var baseVersion = UInt64(0)
        var heading: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&baseVersion)
            case 2: try fields.read(&heading)
            default: break
            }
        }
        return (try RosterVersion(wire: baseVersion, field: "base_version"), try RosterHeading(wire: heading ?? FieldReader([])))
    }

    static func write(
        _ from: RosterVersion, _ to: RosterHeading, into fields: inout FieldWriter
    ) {
        fields.put(1, from.wire)
        fields.put(2, to)
    }
}

/// The fields of `RosterChanged`.
enum RosterChangedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> Roster {
        var roster: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&roster)
            default: break
            }
        }
        return try Roster(wire: roster.required("roster"))
    }

    static func write(
        _ roster: Roster, into fields: inout FieldWriter
    ) {
        fields.put(1, roster)
    }
}

/// The fields of `ShiftStage`.
enum ShiftStageFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID, UInt32, [Shift]) {
        var requestID: FieldReader?
        var after = UInt32(0)
        var shifts: [Shift] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&after)
            case 3: try fields.read(&shifts)
            default: break
            }
        }
        guard (1...Limits.stagedShifts).contains(shifts.count) else { throw .malformed("stage_shifts.shifts", "1 to \(Limits.stagedShifts)") }
        return (try RequestID(wire: requestID.required("request_id")), after, shifts)
    }

    static func write(
        _ requestID: RequestID, _ after: UInt32, _ shifts: [Shift], into fields: inout FieldWriter
    ) {
        fields.put(1, requestID)
        fields.put(2, after)
        for value in shifts { fields.put(3, value) }
    }
}

/// The fields of `ShiftsStaged`.
enum ShiftsStagedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var shifts = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&shifts)
            default: break
            }
        }
        return shifts
    }

    static func write(
        _ shifts: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, shifts)
    }
}

/// Replaces all shifts with the staged ones if the roster has that version; a repeat gets the reply of the
/// first.
public struct RosterImport: Hashable, Sendable {
    /// The request ID under which the shifts were staged.
    public let requestID: RequestID
    /// The version of the roster that the import is based on.
    public let base: RosterVersion
    /// The number of staged shifts; with 0 none need be staged.
    public let shifts: UInt32
    /// The time zone in which the shifts were entered.
    public let timeZone: TimeZoneName

    public init(requestID: RequestID, base: RosterVersion, shifts: UInt32 = 0, timeZone: TimeZoneName) {
        self.requestID = requestID
        self.base = base
        self.shifts = shifts
        self.timeZone = timeZone
    }
}

extension RosterImport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var requestID: FieldReader?
        var baseVersion = UInt64(0)
        var shifts = UInt32(0)
        var timeZone = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&baseVersion)
            case 3: try fields.read(&shifts)
            case 4: try fields.read(&timeZone)
            default: break
            }
        }
        self.init(
            requestID: try RequestID(wire: requestID.required("request_id")),
            base: try RosterVersion(wire: baseVersion, field: "base_version"),
            shifts: shifts,
            timeZone: try TimeZoneName(wire: timeZone, field: "time_zone", expected: "1 to \(Limits.timeZoneBytes) of [A-Za-z0-9_+/-]"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, base.wire)
        fields.put(3, shifts)
        fields.put(4, timeZone.wire)
    }
}

/// The fields of `ShiftsImported`.
enum ShiftsImportedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Roster, [Email]) {
        var roster: FieldReader?
        var strangers: [String] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&roster)
            case 2: try fields.read(&strangers)
            default: break
            }
        }
        return (try Roster(wire: roster.required("roster")), try strangers.map { value throws(WireError) in try Email(wire: value, field: "strangers") })
    }

    static func write(
        _ roster: Roster, _ strangers: [Email], into fields: inout FieldWriter
    ) {
        fields.put(1, roster)
        for value in strangers { fields.put(2, element: value.wire) }
    }
}

/// The value of a stored record.
public enum RosterRecord: Equatable, Sendable {
    /// - `version`: The number of changes so far.
    /// - `lastImport`: The ID of the import that set the shifts; absent before the first import.
    case roster(RosterVersion, RosterHeading, timeZone: TimeZoneName, lastImport: RequestID?)
    /// - `place`: From 0, in the order of the plan.
    case shift(Shift, place: UInt32)
}

extension RosterRecord: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...2: try fields.read(&body)
            default: break
            }
        }
        self = try RosterRecord(wire: body.required("body: a record of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension RosterRecord {
    /// The case that the message in `RosterRecord.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1:
            let (version, heading, timeZone, lastImport) = try StoredRosterFields.read(choice.message)
            self = .roster(version, heading, timeZone: timeZone, lastImport: lastImport)
        default:
            let (shift, place) = try StoredShiftFields.read(choice.message)
            self = .shift(shift, place: place)
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .roster(let version, let heading, let timeZone, let lastImport): fields.put(1) { StoredRosterFields.write(version, heading, timeZone, lastImport, into: &$0) }
        case .shift(let shift, let place): fields.put(2) { StoredShiftFields.write(shift, place, into: &$0) }
        }
    }
}

/// The fields of `StoredRoster`.
enum StoredRosterFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RosterVersion, RosterHeading, TimeZoneName, RequestID?) {
        var version = UInt64(0)
        var heading: FieldReader?
        var timeZone = ""
        var lastImport: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&heading)
            case 3: try fields.read(&timeZone)
            case 4: try fields.read(&lastImport)
            default: break
            }
        }
        return (try RosterVersion(wire: version, field: "roster.version"), try RosterHeading(wire: heading ?? FieldReader([])), try TimeZoneName(wire: timeZone, field: "roster.time_zone", expected: "1 to \(Limits.timeZoneBytes) of [A-Za-z0-9_+/-]"), try lastImport.map { value throws(WireError) in try RequestID(wire: value) })
    }

    static func write(
        _ version: RosterVersion, _ heading: RosterHeading, _ timeZone: TimeZoneName, _ lastImport: RequestID?, into fields: inout FieldWriter
    ) {
        fields.put(1, version.wire)
        fields.put(2, heading)
        fields.put(3, timeZone.wire)
        if let value = lastImport { fields.put(4, value) }
    }
}

/// The fields of `StoredShift`.
enum StoredShiftFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (Shift, UInt32) {
        var place = UInt32(0)
        var shift: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&place)
            case 2: try fields.read(&shift)
            default: break
            }
        }
        return (try Shift(wire: shift.required("shift.shift")), place)
    }

    static func write(
        _ shift: Shift, _ place: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, place)
        fields.put(2, shift)
    }
}
