import DeviceCore
import FleetProtocol

/// Zones with fixed changes of clocks, as in IANA's database.
struct Zones: ZoneOffsets {
    /// Seconds east of UTC from moments on, the earliest first; before the first, that of the first.
    private static let offsets: [String: [(fromMs: Int64, seconds: Int64)]] = [
        // Last Sundays of March and October, 01:00 UTC.
        "Europe/Oslo": [
            (0, 3_600), (1_774_746_000_000, 7_200), (1_792_890_000_000, 3_600), (1_806_195_600_000, 7_200),
            (1_824_944_400_000, 3_600),
        ],
        // It changes by half an hour, at 02:00 in local time.
        "Australia/Lord_Howe": [(0, 39_600), (1_775_314_800_000, 37_800), (1_791_041_400_000, 39_600)],
        "America/New_York": [(0, -18_000), (1_772_953_200_000, -14_400), (1_793_512_800_000, -18_000)],
        // It omitted 30 December 2011.
        "Pacific/Apia": [(0, -36_000), (1_325_239_200_000, 50_400)],
        "Asia/Kathmandu": [(0, 20_700)],
        "UTC": [(0, 0)],
    ]

    func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64? {
        guard let known = Self.offsets[zone.text] else { return nil }
        return known.last { $0.fromMs <= time.unixMilliseconds }?.seconds ?? known.first?.seconds
    }
}

extension SchedulePlan {
    /// A plan in a short notation.
    init?(
        _ change: ACStateChange = ACStateChange(isOn: true), at time: String, on weekdays: Weekdays = .all,
        in zone: String = "UTC"
    ) {
        guard let time = LocalTime(time), let zone = TimeZoneName(zone) else { return nil }
        self.init(change: change, time: time, weekdays: weekdays, zone: zone)
    }
}
