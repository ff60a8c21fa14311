import Stepping
import Wording

/// The three forms in which Sensibo writes a moment: a client that parses one fails at another.
extension JSONWriter {
    /// A time of a pod's clock, with its age: `{"time":"2024-12-08T17:16:13.197000Z","secondsAgo":47}`.
    mutating func member(_ name: StaticString, time: WallTime?, now: WallTime) {
        key(name)
        moment(time, now: now)
    }

    /// The same as a value of its own.
    mutating func moment(_ time: WallTime?, now: WallTime) {
        guard let time else { return null() }
        object { json in
            json.key("time")
            json.microseconds(time)
            json.member("secondsAgo", time.seconds(to: now))
        }
    }

    /// A time to the second with its zone, and its age, as filters and changes have it:
    /// `{"time":"2022-03-12T15:24:26Z","secondsAgo":47}`.
    mutating func member(_ name: StaticString, second time: WallTime?, now: WallTime) {
        key(name)
        guard let time else { return null() }
        object { json in
            json.member("time", zoned: time)
            json.member("secondsAgo", time.seconds(to: now))
        }
    }

    /// A time to the second with its zone: `"2022-03-12T15:24:26Z"`.
    mutating func member(_ name: StaticString, zoned time: WallTime) {
        key(name)
        plain { bytes in
            TimeText.append(second: time, to: &bytes)
            bytes.append(UInt8(ascii: "Z"))
        }
    }

    /// A time of a timer or a schedule, in UTC without saying so: `"2024-03-22T22:56:44"`.
    mutating func member(_ name: StaticString, naive time: WallTime) {
        key(name)
        plain { TimeText.append(second: time, to: &$0) }
    }

    private mutating func microseconds(_ time: WallTime) {
        plain { bytes in
            TimeText.append(second: time, to: &bytes)
            bytes.append(UInt8(ascii: "."))
            bytes.append(decimal: UInt64((time.unixMilliseconds % 1_000 + 1_000) % 1_000), digits: 3)
            bytes += "000Z".utf8
        }
    }
}

extension WallTime {
    /// Whole seconds until a later moment; negative when it is earlier.
    func seconds(to later: WallTime) -> Int64 {
        duration(to: later).wholeMilliseconds / 1_000
    }
}
