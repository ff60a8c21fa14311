// Rules for several fields of a message: the generated initializers call `verify()` last.

extension SnapshotChunk.Group {
    func verify() throws(WireError) {
        guard number != .none else { throw .malformed("group.number", "from 1") }
    }
}

extension Command {
    func verify() throws(WireError) {
        switch kind {
        case .set(let change), .correct(let change):
            guard !change.isEmpty else { throw .malformed("set", "at least one setting") }
        case .toggle, .configure: break
        }
    }
}

extension FilterStatus {
    func verify() throws(WireError) {
        guard Self.areAllowed(recordedSeconds, secondsPerSecond) else {
            throw .malformed("filter", "a number of seconds, and at most a million in one")
        }
    }
}

extension CloudFault {
    func verify() throws(WireError) {
        guard share > 0, share <= 1 else { throw .malformed("fault.share", "above 0, up to 1") }
        guard pods.count <= Limits.faultDevices, pods.allSatisfy({ $0.utf8.count <= Limits.nameBytes }) else {
            throw .malformed(
                "fault.pods", "up to \(Limits.faultDevices) of up to \(Limits.nameBytes) bytes each")
        }
        guard delay <= kind.longestDelay ?? .zero else {
            throw .malformed("fault.delay_ms", "no more than the kind allows")
        }
        guard Self.statuses.contains(status) else {
            throw .malformed("fault.status", "401, 403, 429, 500, 502, 503 or 504")
        }
        guard path.isEmpty || Self.allows(path: path) else {
            throw .malformed("fault.path", "empty, or from / on with up to \(Self.pathBytes) bytes")
        }
    }
}

extension CloudPlan {
    /// The longest time span in a plan, a hundred years.
    static let longestSpan: Duration = .seconds(100 * 366 * 86_400)
}

extension SensorCalibration {
    /// Returns whether an offset in tenths is allowed; true for nil.
    static func allows(_ added: Int16?) -> Bool { added.map { tenths.contains($0) } ?? true }
}

extension Shift {
    /// Returns whether a shift may begin or end at a time; true for nil.
    static func allows(_ time: WallTime?) -> Bool {
        time.map { times.contains($0.unixMilliseconds) } ?? true
    }
}

extension WireError {
    init(_ error: LogbookTextError) {
        self =
            switch error {
            case .blank(let field): .malformed(field, "something that can be seen")
            case .tooLong(let field, let limit): .malformed(field, "at most \(limit) bytes")
            case .control(let field):
                .malformed(field, "no control characters but line breaks and tabs in a body")
            }
    }

    init(_ error: SiteError) {
        self =
            switch error {
            case .text(let error): WireError(error)
            case .lines: .malformed("address", "at most \(Limits.siteAddressLines) lines")
            }
    }

    init(_ error: QueuePlanError) { self = .malformed("plan", error.description) }
}
