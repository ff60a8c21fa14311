public import FleetProtocol
import UserText

/// The present in which an answer is written, by the real clock and by that of the API. Replicas and
/// histories have real times. An answer has the times of the scenario's clock, which has the devices' speed,
/// so that intervals between its times are those that users set.
public struct PodTime: Sendable {
    let clock: SimulatedClock
    let real: WallTime

    public init(_ real: WallTime, by clock: SimulatedClock = .real) {
        (self.clock, self.real) = (clock, real)
    }

    var shown: WallTime { clock.shown(at: real) }

    /// The second that the API's clock shows.
    public var second: Int64 { shown.unixMilliseconds.dividedDown(by: 1_000) }

    func shown(_ time: WallTime) -> WallTime { clock.shown(at: time) }

    /// Returns the whole seconds of the API's clock since a real time; 0 if another clock is ahead.
    func seconds(since time: WallTime) -> Int64 { max(0, -seconds(untilShown: shown(time))) }

    /// Returns the whole seconds of the API's clock until it shows a time; negative after that.
    func seconds(untilShown time: WallTime) -> Int64 {
        (time.unixMilliseconds - shown.unixMilliseconds) / 1_000
    }
}

/// The three forms of time in Sensibo's API; clients that parse one form fail on another.
extension JSONWriter {
    /// Writes a time with microseconds and its age: `{"time":"2024-12-08T17:16:13.197000Z","secondsAgo":47}`.
    mutating func member(_ name: StaticString, time: WallTime?, now: PodTime) {
        key(name)
        moment(time, now: now)
    }

    mutating func moment(_ time: WallTime?, now: PodTime) {
        guard let time else { return null() }
        object { json in
            json.key("time")
            json.microseconds(now.shown(time))
            json.member("secondsAgo", now.seconds(since: time))
        }
    }

    /// Writes a time in seconds with its zone and its age, as in filters and changes:
    /// `{"time":"2022-03-12T15:24:26Z","secondsAgo":47}`.
    mutating func member(_ name: StaticString, second time: WallTime?, now: PodTime) {
        key(name)
        guard let time else { return null() }
        object { json in
            json.member("time", zoned: now.shown(time))
            json.member("secondsAgo", now.seconds(since: time))
        }
    }

    /// Writes a time in seconds with its zone: `"2022-03-12T15:24:26Z"`.
    mutating func member(_ name: StaticString, zoned time: WallTime) {
        key(name)
        plain { bytes in
            TimeText.append(second: time, to: &bytes)
            bytes.append(UInt8(ascii: "Z"))
        }
    }

    /// Writes a time of a timer or a schedule, in UTC without a zone: `"2024-03-22T22:56:44"`.
    mutating func member(_ name: StaticString, naive time: WallTime) {
        key(name)
        naive(time)
    }

    mutating func naive(_ time: WallTime) { plain { TimeText.append(second: time, to: &$0) } }

    private mutating func microseconds(_ time: WallTime) {
        plain { bytes in
            TimeText.append(second: time, to: &bytes)
            bytes.append(UInt8(ascii: "."))
            bytes.append(decimal: UInt64(time.unixMilliseconds.rest(dividingBy: 1_000)), digits: 3)
            bytes += "000Z".utf8
        }
    }
}
