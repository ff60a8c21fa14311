public import FleetProtocol

extension SiteProfile {
    /// Where it is, in words: what is known of address, city and country; empty where nothing is.
    public var whereabouts: String {
        (address + [city, country?.letters ?? ""]).filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension SiteReport {
    /// The site for scripts and pages; texts are strangers', as they were written, and in lists there is no
    /// description.
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
    /// The device for scripts and pages; its name is a stranger's.
    public var json: JSONValue { ["id": .string(id.description), "name": .string(name)] }
}
