import FleetProtocol
import Stepping

extension SchedulePlan {
    private static let secondsOfDay: Int64 = 86_400

    /// The first moment after another that the clocks of the plan's zone show its time on one of its days;
    /// nil where nobody knows the zone.
    ///
    /// Where clocks are put forward over that time, it comes as long after midnight as it would have without
    /// that: 02:30 is what they then show as 03:30. Where they are put back, it comes the first time.
    func next(after moment: WallTime, by zones: any ZoneOffsets) -> WallTime? {
        guard let east = zones.secondsEast(in: zone, at: moment) else { return nil }
        let today = (moment.unixSeconds + east).dividedDown(by: Self.secondsOfDay)
        // From yesterday on, for its 24th hour may be over here and still to come there; and eight days, for
        // today's time may be over.
        for day in today - 1...today + 8 where weekdays.contains(Weekday(daysSince1970: day)) {
            let local = day * Self.secondsOfDay + Int64(time.minuteOfDay) * 60
            guard let next = self.moment(ofLocalSeconds: local, by: zones) else { return nil }
            if next > moment { return next }
        }
        return nil
    }

    /// When the clocks of the zone show so many seconds since 1970-01-01T00:00 there.
    private func moment(ofLocalSeconds local: Int64, by zones: any ZoneOffsets) -> WallTime? {
        // Clocks are not changed twice within two days, and no zone is a day away from UTC.
        guard let before = zones.secondsEast(in: zone, at: WallTime(unixSeconds: local - Self.secondsOfDay)),
            let after = zones.secondsEast(in: zone, at: WallTime(unixSeconds: local + Self.secondsOfDay))
        else { return nil }
        let (first, second) = (WallTime(unixSeconds: local - before), WallTime(unixSeconds: local - after))
        if zones.secondsEast(in: zone, at: first) == before { return first }
        return zones.secondsEast(in: zone, at: second) == after ? second : first
    }
}

extension WallTime {
    fileprivate init(unixSeconds: Int64) {
        self.init(unixMilliseconds: unixSeconds * 1_000)
    }

    /// Whole seconds since 1970, rounded down.
    fileprivate var unixSeconds: Int64 { unixMilliseconds.dividedDown(by: 1_000) }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
