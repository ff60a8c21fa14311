import FleetProtocol

extension MalformedMessage {
    /// Invalid requests and replies about rosters.
    static func roster() throws -> [MalformedMessage] {
        let (stage, replace) = ("stage shifts", "import shifts")
        let time = "milliseconds from 1970 to the end of the year 9999"
        return [
            try changed(
                RosterRequest.self,
                "a roster from before 1970", from: "a roster", .wrong("roster.from_ms", time)
            ) { $0.read.fromMs = -1 },
            try changed(
                RosterRequest.self,
                "a roster until the year 10000", from: "a roster", .wrong("roster.until_ms", time)
            ) { $0.read.untilMs = 253_402_300_800_000 },
            try changed(
                RosterRequest.self,
                "a roster name of 65 bytes", from: "change the heading of a roster",
                .wrong("name", "at most 64 bytes")
            ) { $0.change.heading.name = String(repeating: "a", count: 65) },
            try changed(
                RosterRequest.self,
                "a message of the day of 1025 bytes", from: "change the heading of a roster",
                .wrong("message", "at most 1024 bytes")
            ) { $0.change.heading.message = String(repeating: "a", count: 1_025) },
            try changed(
                RosterRequest.self,
                "no staged shift", from: stage, .wrong("stage_shifts.shifts", "1 to 200")
            ) { $0.stage.shifts = [] },
            try changed(
                RosterRequest.self,
                "201 staged shifts", from: stage, .wrong("stage_shifts.shifts", "1 to 200")
            ) { $0.stage.shifts = Array(repeating: $0.stage.shifts[0], count: 201) },
            try changed(RosterRequest.self, "shifts without an import", from: stage, .absent("request_id")) {
                $0.stage.clearRequestID()
            },
            try changed(
                RosterRequest.self,
                "a shift without a person", from: stage, .wrong("who", "something that can be seen")
            ) {
                $0.stage.shifts[0].who = ""
                $0.stage.shifts[0].email = ""
            },
            try changed(
                RosterRequest.self, "a shift with an invalid email", from: stage,
                .wrong("shift.email", "an email address")
            ) {
                $0.stage.shifts[0].email = "kari"
            },
            try changed(
                RosterRequest.self,
                "a shift of zero length", from: stage,
                .wrong("shift.to_ms", "later than from_ms")
            ) { $0.stage.shifts[0].toMs = $0.stage.shifts[0].fromMs },
            try changed(RosterRequest.self, "a shift before 1970", from: stage, .wrong("shift.from_ms", time))
            {
                $0.stage.shifts[0].fromMs = -1
            },
            try changed(
                RosterRequest.self, "a shift until the year 10000", from: stage, .wrong("shift.to_ms", time)
            ) {
                $0.stage.shifts[0].toMs = 253_402_300_800_000
            },
            try changed(
                RosterRequest.self,
                "shifts without a time zone", from: replace,
                .wrong("time_zone", "1 to 32 of [A-Za-z0-9_+/-]")
            ) { $0.replace.timeZone = "" },
        ]
    }
}
