import FleetProtocol
import Stepping

extension JSONWriter {
    /// Where a pod is: the account's site, with what is said of it.
    ///
    /// A site without coordinates is at 0, 0, for clients want a pair of numbers.
    mutating func location(of pod: Pod, _ account: AccountID, _ sites: SiteRegister, _ now: WallTime) {
        let place = sites.place(of: pod.device, told: pod.group?.site ?? "", in: account)
        let profile = place.profile
        object { json in
            json.key("id")
            json.plain { place.id.append(to: &$0) }
            json.member("name", place.name.isEmpty ? account.name : place.name)
            json.key("latLon")
            json.raw(Array("[\(profile?.coordinates?.description ?? "0,0")]".utf8))
            json.array("address") { json in
                for line in profile?.address ?? [] { json.string(line) }
            }
            json.member("country", profile?.country.flatMap(CountryNames.name(of:)))
            json.member("countryAlpha2", profile?.country?.letters)
            json.member("city", profile?.city.isEmpty == false ? profile?.city : nil)
            json.member("timezone", profile?.timeZone?.text)
            json.member("createTime", nil)
            json.member("updateTime", nil)
            json.member("features", raw: "[]")
            json.member("geofenceTriggerRadius", 200)
            json.member("subscription", nil)
            json.member("shareAnalytics", false)
            json.member("tariff", nil)
            json.member("currency", nil)
            json.member("occupancy", LocationPresence(at: place.id).word(at: now))
        }
    }
}
