public import FleetProtocol
import UserText

extension APIResponse {
    public static func pods(
        _ pods: [Pod], of account: AccountID, at sites: SiteRegister = SiteRegister(), fields: PodFields,
        now: PodTime
    ) -> APIResponse {
        success(about: 128 + pods.count * fields.bytesExpected) { json in
            json.array { json in
                for pod in pods { json.pod(pod, of: account, at: sites, fields: fields, now: now) }
            }
        } more: { json in
            json.member("isPartial", false)
        }
    }

    public static func pod(
        _ pod: Pod, of account: AccountID, at sites: SiteRegister = SiteRegister(), fields: PodFields,
        now: PodTime
    ) -> APIResponse {
        success(about: 128 + fields.bytesExpected) {
            $0.pod(pod, of: account, at: sites, fields: fields, now: now)
        }
    }

    /// A pod's Climate React; null if neither its user nor its scenario has set it.
    public static func climateReact(of pod: Pod, now: PodTime) -> APIResponse {
        success { $0.value(.smartMode, of: pod, now) }
    }

    /// A pod's timer; throws ``APIError/noTimer`` without one.
    public static func timer(of pod: Pod, now: PodTime) throws(APIError) -> APIResponse {
        guard pod.settings?.timer != nil || pod.recorded(.timer).map({ $0 != .null }) ?? false else {
            throw .noTimer
        }
        return success { $0.value(.timer, of: pod, now) }
    }

    public static func schedules(of pod: Pod, now: PodTime) -> APIResponse {
        success { $0.value(.schedules, of: pod, now) }
    }

    public static func schedule(_ id: String, of pod: Pod, now: PodTime) throws(APIError) -> APIResponse {
        let schedule = try pod.schedule(id)
        return success { pod.write(schedule, to: &$0, at: now) }
    }

    /// The last measurement of a pod: a list of one, or an empty list without one.
    public static func measurements(of pod: Pod, fields: RecordFields = .all, now: PodTime) -> APIResponse {
        success { json in
            json.array { json in
                if pod.measured != nil { json.measurements(of: pod, fields: fields, now) }
            }
        }
    }

    /// The authenticated user; the fleet knows only the email, which is also the name.
    public static func me(_ session: Session, reading unit: TemperatureUnit) -> APIResponse {
        success { json in
            json.object { json in
                json.member("username", session.email.address)
                json.member("email", session.email.address)
                json.member("firstName", "")
                json.member("lastName", "")
                json.member("temperatureUnit", unit.letter)
                json.member("appRegistrationSource", "Sensibo")
                json.member("organization", nil)
                json.member("availableOrganizations", raw: "[]")
            }
        }
    }

    /// The answer to a log-in in OAuth's form (RFC 6749, section 5.1): a token that is valid for at least
    /// ``Limits/sessionIdle`` without use.
    public static func session(_ token: CellToken) -> APIResponse {
        let body: JSONObject = [
            "access_token": token.text, "token_type": "Bearer",
            "expires_in": Limits.sessionIdle.components.seconds, "scope": "read write",
        ]
        return APIResponse(bare: body)
    }
}

extension PodFields {
    /// The estimated size in bytes of a pod object with these keys; the capabilities are half of a complete
    /// one.
    fileprivate var bytesExpected: Int {
        fields.count * 64 + (fields.contains(.remoteCapabilities) ? 3_000 : 0)
    }
}
