public import FleetProtocol

extension Author {
    /// The author in words: the email address, or `controller`.
    public var text: String { email?.address ?? "controller" }

    /// The author as a user, under jsonplaceholder's field names; fields without a known value are
    /// omitted.
    public var json: JSONValue {
        [
            "id": .integer(Int64(number.value)), "name": .string(text), "username": .string(text),
            "email": .text(email),
        ]
    }
}

extension PostSubject {
    /// The subject in words: the device's name or ID, or the site.
    public var text: String {
        switch self {
        case .device(let id, let name): SafeText.label(name, of: id)
        case .site(let site): SafeText.of(site)
        }
    }
}

extension Post {
    /// The post under jsonplaceholder's field names, with further fields.
    ///
    /// The texts are user input and not sanitized.
    public var json: JSONValue {
        var (device, deviceName, site): (JSONValue, JSONValue, JSONValue) = (.null, .null, .null)
        switch subject {
        case .device(let id, let name): (device, deviceName) = (.string(id.description), .string(name))
        case .site(let name): site = .string(name)
        case nil: break
        }
        return [
            "userId": .integer(Int64(author.number.value)), "id": .integer(Int64(number.value)),
            "title": .string(title), "body": .string(body), "author": .string(author.text),
            "writtenAtMs": .integer(writtenAt.unixMilliseconds), "device": device, "deviceName": deviceName,
            "site": site, "commentCount": .integer(Int64(comments)),
            "editedAtMs": editedAt.map { .integer($0.unixMilliseconds) } ?? .null,
        ]
    }
}

extension Comment {
    /// The comment under jsonplaceholder's field names, with further fields.
    ///
    /// The text is user input and not sanitized.
    public var json: JSONValue {
        [
            "postId": .integer(Int64(post.value)), "id": .integer(Int64(number.value)),
            "name": .string(author.text), "email": .text(author.email),
            "body": .string(body), "userId": .integer(Int64(author.number.value)),
            "writtenAtMs": .integer(writtenAt.unixMilliseconds),
        ]
    }
}

extension Shift {
    /// The person on duty, sanitized for a terminal: the name, and the email address if it differs.
    public var text: String {
        guard let email, email.address != who else { return SafeText.of(who) }
        return "\(SafeText.of(who)) <\(SafeText.of(email.address))>"
    }

    /// The shift for scripts and pages; the name in `who` is user input and not sanitized.
    public var json: JSONValue {
        [
            "who": .string(who), "email": .text(email), "fromMs": .integer(from.unixMilliseconds),
            "toMs": .integer(to.unixMilliseconds),
        ]
    }
}

extension Roster {
    /// Returns the roster for scripts and pages; its texts are user input and not sanitized.
    public func json(_ plan: ShiftPlan, at now: WallTime) -> JSONValue {
        [
            "version": .unsigned(version.value), "name": .string(heading.name),
            "message": .string(heading.message), "timeZone": .string(timeZone.text),
            "shiftCount": .integer(Int64(shifts)), "isEnforced": .bool(isEnforced),
            "atMs": .integer(now.unixMilliseconds), "onDuty": .array(plan.onDuty(at: now).map(\.json)),
            "nextChangeMs": plan.nextChange(after: now).map { .integer($0.unixMilliseconds) } ?? .null,
        ]
    }
}

extension SiteProfile {
    /// The known parts of address, city and country, in words; empty if none is known.
    public var whereabouts: String {
        (address + [city, country?.letters ?? ""]).filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension SiteReport {
    /// The site for scripts and pages, without its description in lists; the texts are user input and not
    /// sanitized.
    public var json: JSONValue {
        let profile = site.profile
        return [
            "id": .string(site.id.description), "version": .unsigned(site.version.value),
            "name": .string(profile.name), "devices": .integer(Int64(devices)),
            "latitude": profile.coordinates.map { .number($0.latitude) } ?? .null,
            "longitude": profile.coordinates.map { .number($0.longitude) } ?? .null,
            "address": .array(profile.address.map { .string($0) }),
            "city": profile.city.isEmpty ? .null : .string(profile.city),
            "country": .text(profile.country), "timeZone": .text(profile.timeZone),
            "isDescribed": .bool(isDescribed),
            "description": profile.description.isEmpty ? .null : .string(profile.description),
        ]
    }
}

extension SiteDevices.Device {
    /// The device for scripts and pages; its name is user input and not sanitized.
    public var json: JSONValue { ["id": .string(id.description), "name": .string(name)] }
}

extension QueuedOutcome {
    /// The outcome of a command in words: `applied`, or `rejected (value outside …)`; the part in parentheses
    /// is not sanitized.
    public var text: String { explanation.isEmpty ? kind.name : "\(kind.name) (\(explanation))" }
}

extension QueueProgress {
    /// The state of a command in a word: `waiting`, `running`, its outcome, or `leftOut`.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .ended(_, let end): end.kind.name
        case .skipped: "leftOut"
        }
    }
}

extension QueueReport {
    /// The number of commands that were left out.
    var skippedCount: Int { progress.count { $0 == .skipped } }

    /// The progress in words: `running: 3 of 10 commands have ended`.
    public var standing: String {
        var text = "\(state.name): \(endedCount) of \(Count.of(plan.commands.count, "command")) "
        text += endedCount == 1 ? "has ended" : "have ended"
        if failedCount > 0 { text += ", \(failedCount) failed" }
        if skippedCount > 0 { text += ", \(skippedCount) left out" }
        return text
    }

    /// Returns a command for scripts and pages; its `id` is user input and not sanitized.
    ///
    /// - Parameter place: The index of the command, from 0.
    public func json(ofCommandAt place: Int) -> JSONValue {
        let command = plan.commands[place]
        var (request, end) = (RequestID?.none, QueuedOutcome?.none)
        switch progress[place] {
        case .waiting, .skipped: break
        case .running(let id): request = id
        case .ended(let id, let how): (request, end) = (id, how)
        }
        return [
            "id": .string(command.label), "device": .string(command.device.description),
            "takesMs": .integer(command.takes.wholeMilliseconds),
            "do": .string(command.kind == .toggle ? "toggle" : "set"),
            "state": .string(progress[place].name),
            "requestId": .text(request), "startedAt": .text(request.map { TimeText.iso8601($0.time) }),
            "endedAt": .text(end.map { TimeText.iso8601($0.endedAt) }),
            "isFailure": .bool(end.map { !$0.kind.isSuccess } ?? false),
            "explanation": end.map { $0.explanation.isEmpty ? .null : .string($0.explanation) } ?? .null,
        ]
    }

    /// The command queue for scripts and pages, with its commands.
    public var json: JSONValue {
        guard case .object(let members) = summary.json else { return .null }
        let commands = plan.commands.indices.map { json(ofCommandAt: $0) }
        return .object(
            members + [
                JSONValue.Member("onFailure", .string(plan.onFailure.name)),
                JSONValue.Member("list", .array(commands)),
            ])
    }
}

extension QueueSummary {
    /// The command queue for scripts and pages, without its commands.
    public var json: JSONValue {
        [
            "id": .string(id.description), "state": .string(state.name), "isFinal": .bool(state.isFinal),
            "author": .string(author.address), "startedAt": .string(TimeText.iso8601(startedAt)),
            "endedAt": .text(endedAt.map { TimeText.iso8601($0) }), "commands": .unsigned(UInt64(commands)),
            "ended": .unsigned(UInt64(ended)), "failed": .unsigned(UInt64(failed)),
        ]
    }
}

extension CloudFault {
    /// The effect and the affected requests, in words: `slow: answers delayed by 10s, 5 % of reads`.
    public var text: String {
        "\(kind.name): \(effect)\(whom)" + (times.map { ", \(Count.of(Int($0), "request")) at most" } ?? "")
    }

    private var effect: String {
        switch kind {
        case .slow: "answers delayed by \(DurationText.text(delay))"
        case .hang: "no answer"
        case .error: "status \(status)"
        case .noResult: "answers without a result"
        case .failed: "changes fail"
        case .offline: "shown as offline, changes fail"
        case .limit: "5 requests in 5s with one key, 10 in 10s with gzip"
        case .badPod: isKeyMissing ? "\(key.name) is missing" : "\(key.name) is null"
        case .noCode: "the remote has no code for the change"
        case .lag: "shown with a delay of \(DurationText.text(delay))"
        }
    }

    private var whom: String {
        guard kind.hasPart else { return "" }
        let part = share < 1 ? "\(FigureText.decimal(share * 100, places: 1)) % of " : ""
        let pods =
            switch self.pods.count {
            case 0: ""
            case 1: SafeText.of(self.pods[0])
            case let count: Count.of(count, "pod")
            }
        if kind.isOfPods { return ", \(part)" + (pods.isEmpty ? "all pods" : pods) }
        let requests =
            switch self.requests {
            case .all: kind == .failed || kind == .noCode ? "changes" : "requests"
            case .reads: "reads"
            case .writes: "changes"
            }
        let subject = pods.isEmpty ? requests : "\(requests) about \(pods)"
        return ", " + (part.isEmpty ? "all " : part) + subject
    }

    /// The JSON members for scripts; null if the kind of fault does not have the field.
    public var jsonMembers: [JSONValue.Member] {
        [
            .init("fault", .string(kind.name)), .init("share", .number(share)),
            .init("requests", .string("\(requests)")), .init("pods", .array(pods.map { .string($0) })),
            .init("delayMs", kind.longestDelay.map { _ in .integer(delay.wholeMilliseconds) } ?? .null),
            .init("status", kind == .error ? .integer(Int64(status)) : .null),
            .init("key", kind == .badPod ? .string(key.name) : .null),
            .init("keyMissing", kind == .badPod ? .bool(isKeyMissing) : .null),
            .init("times", times.map { .integer(Int64($0)) } ?? .null),
        ]
    }
}
