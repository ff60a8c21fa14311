public import FleetProtocol
import UserText

extension APIResponse {
    static let changesAtMost = 20

    /// The newest changes of a pod's state, newest first. If `fields` names `device`, each change has the pod
    /// object. The limit is ``changesAtMost`` for nil and for more. The change to the current state, nil if
    /// the pod is unknown, is listed even if none is recorded.
    public static func changes(
        of pod: Pod, in history: PodHistory, current: StateChange?, limit: String?,
        fields: RecordFields = .all, place: (account: AccountID, sites: SiteRegister)? = nil, now: PodTime
    ) throws(APIError) -> APIResponse {
        let limit = try count(limit, atMost: changesAtMost)
        let changes =
            current.map { history.changes(of: pod.device, limit: limit + 1, current: $0) }
            ?? history.changes(of: pod.device, limit: limit + 1)
        return success(about: 512 * (changes.count + 1)) { json in
            json.array { json in
                for change in changes.prefix(limit) {
                    json.change(change, by: pod.capabilities, fields: fields, now: now) { json in
                        guard let place, fields.isNamed("device") else { return }
                        json.key("device")
                        json.pod(pod, of: place.account, at: place.sites, fields: .all, now: now)
                    }
                }
            }
        } more: { json in
            json.member("moreResults", changes.count > limit)
        }
    }

    /// The newest events of a pod, newest first, with the change to the current state.
    public static func events(
        of pod: Pod, in history: PodHistory, current: StateChange?, limit: String?, now: PodTime
    ) throws(APIError) -> APIResponse {
        let limit = try count(limit, atMost: PodHistory.changesAtMost)
        let events = history.events(of: pod.device, limit: limit, current: current)
        return success(about: 640 * (events.count + 1)) { json in
            json.array { json in
                for event in events { json.event(event, of: pod, now: now) }
            }
        }
    }

    /// The measurements of a pod in the last day. More days are refused as for an account without a
    /// subscription.
    public static func history(
        of pod: Pod, in history: PodHistory, days: String?, now: PodTime
    ) throws(APIError) -> APIResponse {
        guard let days = Int(days ?? "1"), days > 0 else { throw .invalid("days", "only 1 is allowed") }
        guard days == 1 else { throw .historyBeyondPlan }
        let dayAgo = now.clock.real(at: now.shown.advanced(by: .seconds(-86_400)))
        let samples = history.samples(of: pod.device, since: dayAgo)
        let quantities = pod.model == .pure ? [] : AirQuantity.measured(by: pod.model)
        return success(about: 128 + 50 * samples.count * (2 + quantities.count)) { json in
            json.object { json in
                guard pod.model != .pure else { return }
                json.series("temperature", samples, now) { $0.tenths(Int($1.deciCelsius)) }
                json.series("humidity", samples, now) { $0.tenths(Int($1.humidityPermille)) }
                let (room, set) = (SimulatedRoom(of: pod.device), pod.room)
                for quantity in quantities {
                    json.series(quantity.name, samples, now) { json, sample in
                        let time = now.shown(sample.at)
                        json.value(of: quantity, in: AirQuality(in: room, at: time, set: set[time]))
                    }
                }
            }
        }
    }

    private static func count(_ text: String?, atMost: Int) throws(APIError) -> Int {
        guard let text else { return atMost }
        guard let count = Int(text), count > 0 else {
            throw .invalid("limit", "\(text.prefix(40)): expected a number from 1")
        }
        return min(count, atMost)
    }
}

extension JSONWriter {
    fileprivate mutating func event(_ event: PodEvent, of pod: Pod, now: PodTime) {
        object { json in
            json.key("objectId")
            pod.writeID(to: &json)
            json.member("objectKind", "Pod")
            json.member("timestamp", zoned: now.shown(event.at))
            json.member("eventKind", event.kind)
            json.object("details") { json in
                switch event {
                case .state(let change), .cause(let change):
                    json.details(of: change, by: pod.capabilities, now)
                case .climateReact(let settings, _, _):
                    json.key("smartmode")
                    pod.write(settings, to: &json)
                }
            }
        }
    }

    /// Values with their times, oldest first.
    fileprivate mutating func series(
        _ name: StaticString, _ samples: [Sample], _ now: PodTime,
        _ value: (inout JSONWriter, Sample) -> Void
    ) {
        array(name) { json in
            for sample in samples {
                json.object { json in
                    json.member("time", zoned: now.shown(sample.at))
                    json.key("value")
                    value(&json, sample)
                }
            }
        }
    }
}
