import FleetProtocol

extension MalformedMessage {
    /// Invalid requests and replies about sites.
    static func sites() throws -> [MalformedMessage] {
        let (add, page) = ("add a site", "a page of sites")
        let line = String(repeating: "a", count: 65)
        return [
            try changed(SiteRequest.self, "page 0 of sites", from: page, .wrong("sites.page", "1 or more")) {
                $0.list.page = 0
            },
            try changed(SiteRequest.self, "a page of 101 sites", from: page, .wrong("sites.size", "1 to 100"))
            {
                $0.list.size = 101
            },
            try changed(
                SiteRequest.self, "a site without an id or a name", from: "a site by id",
                .wrong("site", "an id or a name")
            ) {
                $0.site = .init()
            },
            try changed(
                SiteRequest.self,
                "a site id of nine characters", from: "a site by id",
                .wrong("site.id", "10 letters or digits")
            ) { $0.site.id = "123456789" },
            try changed(SiteRequest.self, "a site without a profile", from: add, .absent("profile")) {
                $0.add.clearProfile()
            },
            try changed(
                SiteRequest.self,
                "a site without a name", from: add, .wrong("name", "something that can be seen")
            ) { $0.add.profile.name = "" },
            try changed(
                SiteRequest.self, "a site name of 65 bytes", from: add,
                .wrong("name", "at most 64 bytes")
            ) {
                $0.add.profile.name = line
            },
            try changed(
                SiteRequest.self,
                "a description of 8193 bytes", from: add, .wrong("description", "at most 8192 bytes")
            ) { $0.add.profile.description_p = String(repeating: "a", count: 8_193) },
            try changed(
                SiteRequest.self, "an address of five lines", from: add, .wrong("address", "at most 4 lines")
            ) {
                $0.add.profile.address = Array(repeating: "a", count: 5)
            },
            try changed(SiteRequest.self, "a city of 65 bytes", from: add, .wrong("city", "at most 64 bytes"))
            {
                $0.add.profile.city = line
            },
            try changed(
                SiteRequest.self,
                "a country of three letters", from: add,
                .wrong("country", "two capital letters (ISO 3166-1 alpha-2)")
            ) { $0.add.profile.country = "NOR" },
            try changed(
                SiteRequest.self,
                "an invalid time zone", from: add,
                .wrong("time_zone", "1 to 32 of [A-Za-z0-9_+/-]")
            ) { $0.add.profile.timeZone = "Europe Oslo" },
            try changed(
                SiteRequest.self,
                "a latitude above 90 degrees", from: add,
                .wrong("coordinates", "millionths of −90 to 90 and of −180 to 180 degrees")
            ) { $0.add.profile.coordinates.latitude = 90_000_001 },
            try changed(
                SiteRequest.self,
                "an assignment without devices", from: "assign two devices",
                .wrong("assign_devices.devices", "1 to 1000")
            ) { $0.assign.devices = [] },
            try changed(
                SiteRequest.self,
                "an assignment of 1001 devices", from: "assign two devices",
                .wrong("assign_devices.devices", "1 to 1000")
            ) { $0.assign.devices = Array(repeating: "m7SWtqMj", count: 1_001) },
            try changed(
                SiteRequest.self,
                "assignments after an invalid device", from: "assignments, next chunk",
                .wrong("assignments.after", "8 letters or digits")
            ) { $0.assignments.after = "nobody" },
        ]
    }
}
