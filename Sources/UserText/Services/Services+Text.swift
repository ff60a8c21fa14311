public import FleetProtocol

extension Author {
    /// The author in words: the email address, or `controller`.
    public var text: String { email?.address ?? "controller" }

    /// The author as a user, under jsonplaceholder's field names; fields without a known value are
    /// omitted.
    public var json: JSONObject {
        ["id": number.value, "name": text, "username": text, "email": email?.description]
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
    /// The post under jsonplaceholder's field names, with further fields. The texts are user input and not
    /// sanitized.
    public var json: JSONObject {
        var (device, deviceName, site): (String?, String?, String?)
        switch subject {
        case .device(let id, let name): (device, deviceName) = (id.description, name)
        case .site(let name): site = name
        case nil: break
        }
        return [
            "userId": author.number.value, "id": number.value, "title": title, "body": body,
            "author": author.text, "writtenAtMs": writtenAt.unixMilliseconds, "device": device,
            "deviceName": deviceName, "site": site, "commentCount": comments,
            "editedAtMs": editedAt?.unixMilliseconds,
        ]
    }
}

extension Comment {
    /// The comment under jsonplaceholder's field names, with further fields. The text is user input and not
    /// sanitized.
    public var json: JSONObject {
        [
            "postId": post.value, "id": number.value, "name": author.text, "email": author.email?.description,
            "body": body, "userId": author.number.value, "writtenAtMs": writtenAt.unixMilliseconds,
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
    public var json: JSONObject {
        [
            "who": who, "email": email?.description, "fromMs": from.unixMilliseconds,
            "toMs": to.unixMilliseconds,
        ]
    }
}

extension Roster {
    /// Returns the roster for scripts and pages; its texts are user input and not sanitized.
    public func json(_ plan: ShiftPlan, at now: WallTime) -> JSONObject {
        [
            "version": version.value, "name": heading.name, "message": heading.message,
            "timeZone": timeZone.text, "shiftCount": shifts, "isEnforced": isEnforced,
            "atMs": now.unixMilliseconds, "onDuty": plan.onDuty(at: now).map(\.json),
            "nextChangeMs": plan.nextChange(after: now)?.unixMilliseconds,
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
    public var json: JSONObject {
        let profile = site.profile
        return [
            "id": site.id.description, "version": site.version.value, "name": profile.name,
            "devices": devices, "latitude": profile.coordinates?.latitude,
            "longitude": profile.coordinates?.longitude, "address": profile.address,
            "city": profile.city.nonEmpty, "country": profile.country?.description,
            "timeZone": profile.timeZone?.description, "isDescribed": isDescribed,
            "description": profile.description.nonEmpty,
        ]
    }
}

extension SiteDevices.Device {
    /// The device for scripts and pages; its name is user input and not sanitized.
    public var json: JSONObject { ["id": id.description, "name": name] }
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
    var skippedCount: Int { progress.count { $0 == .skipped } }

    /// The progress in words: `running: 3 of 10 commands have ended`.
    public var standing: String {
        var text = "\(state.name): \(endedCount) of \(Count.of(plan.commands.count, "command")) "
        text += endedCount == 1 ? "has ended" : "have ended"
        if failedCount > 0 { text += ", \(failedCount) failed" }
        if skippedCount > 0 { text += ", \(skippedCount) left out" }
        return text
    }

    /// Returns the command at an index for scripts and pages; its `id` is user input and not sanitized.
    public func json(ofCommandAt place: Int) -> JSONObject {
        let command = plan.commands[place]
        var (request, end) = (RequestID?.none, QueuedOutcome?.none)
        switch progress[place] {
        case .waiting, .skipped: break
        case .running(let id): request = id
        case .ended(let id, let how): (request, end) = (id, how)
        }
        return [
            "id": command.label, "device": command.device.description,
            "takesMs": command.takes.wholeMilliseconds, "do": command.kind == .toggle ? "toggle" : "set",
            "state": progress[place].name, "requestId": request?.description,
            "startedAt": request.map { TimeText.iso8601($0.time) },
            "endedAt": end.map { TimeText.iso8601($0.endedAt) },
            "isFailure": end.map { !$0.kind.isSuccess } ?? false, "explanation": end?.explanation.nonEmpty,
        ]
    }

    /// The command queue for scripts and pages, with its commands.
    public var json: JSONObject {
        summary.json + [
            "onFailure": plan.onFailure.name, "list": plan.commands.indices.map(json(ofCommandAt:)),
        ]
    }
}

extension QueueSummary {
    /// The command queue for scripts and pages, without its commands.
    public var json: JSONObject {
        [
            "id": id.description, "state": state.name, "isFinal": state.isFinal, "author": author.address,
            "startedAt": TimeText.iso8601(startedAt), "endedAt": endedAt.map { TimeText.iso8601($0) },
            "commands": commands, "ended": ended, "failed": failed,
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
        case .reset: "the connection is reset after the work"
        case .truncated: "answers cut short"
        case .html: "a page of HTML in place of JSON"
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
        let subject =
            (pods.isEmpty ? requests : "\(requests) about \(pods)")
            + (path.isEmpty ? "" : " of \(SafeText.of(path))")
        return ", " + (part.isEmpty ? "all " : part) + subject
    }

    /// The JSON members for scripts; null if the kind of fault does not have the field.
    public var jsonMembers: JSONObject { ["fault": kind.name] + details }

    public var details: JSONObject {
        [
            "share": share, "requests": "\(requests)", "pods": pods,
            "delayMs": kind.longestDelay.map { _ in delay.wholeMilliseconds },
            "status": kind == .error ? Optional(status) : nil,
            "key": kind == .badPod ? Optional(key.name) : nil,
            "keyMissing": kind == .badPod ? Optional(isKeyMissing) : nil, "times": times,
            "path": kind.hasTimes ? Optional(path) : nil,
        ]
    }
}

extension LabelledDevice {
    public var json: JSONObject { ["id": device.description, "labels": labels.map(\.text)] }
}
