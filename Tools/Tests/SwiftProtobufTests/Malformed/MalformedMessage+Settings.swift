import FleetProtocol

/// Changes of settings with invalid values.
extension MalformedMessage {
    static func settings() throws -> [MalformedMessage] {
        let (timer, schedule) = ("set a timer", "set a schedule")
        return [
            try request("a change without a setting", from: timer, .absent("setting")) {
                $0.command.configure.change = nil
            },
            try request(
                "a timer without a change", from: timer, .wrong("timer.change", "at least one setting")
            ) {
                $0.command.configure.timer.change = .init()
            },
            try request(
                "a timer of more than a day", from: timer, .wrong("timer.after_seconds", "1 to 86400")
            ) {
                $0.command.configure.timer.afterSeconds = 86_401
            },
            try request(
                "a schedule id of 7 characters", from: schedule, .wrong("schedule.id", "8 letters or digits")
            ) { $0.command.configure.schedule.id = "k3Rx9Qa" },
            try request("a schedule without a plan", from: schedule, .absent("schedule.plan")) {
                $0.command.configure.schedule.clearPlan()
            },
            try request(
                "a schedule with an empty change", from: schedule,
                .wrong("schedule.change", "at least one setting")
            ) { $0.command.configure.schedule.plan.change = .init() },
            try request("a schedule without a change", from: schedule, .absent("schedule.change")) {
                $0.command.configure.schedule.plan.clearChange()
            },
            try request(
                "a schedule at 24:00", from: schedule, .wrong("schedule.minute_of_day", "0 to 1439")
            ) { $0.command.configure.schedule.plan.minuteOfDay = 1_440 },
            try request(
                "a schedule on no day", from: schedule,
                .wrong("schedule.weekdays", "1 to 127, a bit for each day")
            ) { $0.command.configure.schedule.plan.weekdays = 0 },
            try request(
                "a schedule on an eighth day", from: schedule,
                .wrong("schedule.weekdays", "1 to 127, a bit for each day")
            ) { $0.command.configure.schedule.plan.weekdays = 128 },
            try request(
                "a schedule with a path as its time zone", from: schedule,
                .wrong("schedule.time_zone", "1 to 32 characters of [A-Za-z0-9_+/-], the first a letter")
            ) { $0.command.configure.schedule.plan.timeZone = "/etc/localtime" },
            try request(
                "a schedule removal without an id", from: "set no schedule",
                .wrong("schedule.id", "8 letters or digits")
            ) { $0.command.configure.scheduleRemoval.id = "" },
            try request(
                "an empty calibration", from: "set a calibration",
                .wrong("calibration", "a temperature or a humidity")
            ) { $0.command.configure.calibration = .init() },
            try request(
                "a calibration by 10.1 °C", from: "set a calibration",
                .wrong("calibration", "-100 to 100 tenths")
            ) { $0.command.configure.calibration.temperature = 101 },
            try request(
                "a pure boost with unknown inputs", from: "set pure boost",
                .wrong("pure_boost.integrations", "0 to 15, a bit for each")
            ) { $0.command.configure.pureBoost.integrations = 16 },
            try request(
                "a pure boost with an unknown sensitivity", from: "set pure boost",
                .wrong("pure_boost.sensitivity", "normal or sensitive")
            ) { $0.command.configure.pureBoost.sensitivity = .UNRECOGNIZED(2) },
        ]
    }
}
