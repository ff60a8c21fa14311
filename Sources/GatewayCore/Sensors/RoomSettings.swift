public import FleetProtocol

/// The people and the air of rooms as tests have set them, in place of what the gateway simulates.
struct RoomSettings: Sendable {
    /// The settings of one room, oldest first; each has those before it.
    struct Course: Sendable {
        fileprivate var changes: [(since: WallTime, values: RoomForm.Sensed)] = []

        /// Returns what is set for a time, by the clock of the API.
        subscript(time: WallTime) -> RoomForm.Sensed? { changes.last { $0.since <= time }?.values }
    }

    /// The maximum number of settings of one room; the oldest are dropped.
    private static let changesAtMost = 1_000

    private var courses: [DeviceID: Course] = [:]

    func course(of device: DeviceID) -> Course { courses[device] ?? Course() }

    /// Sets what has a value, from a second of the API's clock on: histories have whole seconds.
    mutating func set(_ values: RoomForm.Sensed, of device: DeviceID, fromSecond second: Int64) {
        var course = course(of: device)
        let former = course.changes.last?.values ?? RoomForm.Sensed()
        course.changes.append((WallTime(unixMilliseconds: second * 1_000), values.completed(by: former)))
        course.changes.removeFirst(max(0, course.changes.count - Self.changesAtMost))
        courses[device] = course
    }
}

extension RoomForm {
    /// What the further sensors of a room report; nil is what the gateway simulates.
    public struct Sensed: Hashable, Sendable {
        /// Whether people move, which they do not in an empty room.
        var motion: Bool?
        var isOccupied: Bool?
        /// Carbon dioxide, ppm.
        var co2: Int?
        /// Volatile organic compounds, ppb.
        var tvoc: Int?
        /// Particles below 2.5 µm, µg/m³.
        var pm25: Int?

        var isEmpty: Bool { self == Sensed() }

        fileprivate func completed(by other: Sensed) -> Sensed {
            Sensed(
                motion: motion ?? (isOccupied == nil ? other.motion : nil),
                isOccupied: isOccupied ?? (motion == true ? true : other.isOccupied),
                co2: co2 ?? other.co2, tvoc: tvoc ?? other.tvoc, pm25: pm25 ?? other.pm25)
        }
    }

    /// Why a pod has no sensor for a value, and which ones of others have; nil if it has all that are set.
    public func objection(of pod: Pod, among others: [Pod]) -> String? {
        let given = [
            ("motion", sensed.motion != nil), ("occupied", sensed.isOccupied != nil),
            ("co2", sensed.co2 != nil), ("tvoc", sensed.tvoc != nil), ("pm25", sensed.pm25 != nil),
        ]
        let missing = given.first { name, isGiven in isGiven && !pod.hasSensor(of: name) }
        guard let (value, _) = missing else { return nil }
        let able = others.filter { $0.hasSensor(of: value) }.map(\.name)
        let names = able.isEmpty ? "no pod" : able.prefix(10).joined(separator: ", ")
        return "\(pod.name) has no sensor for \(value): \(names) of this fleet can report it"
    }
}

extension PodHistory {
    /// Sets what the sensors of a room report from a second of the API's clock on.
    public mutating func setRoom(of device: DeviceID, _ form: RoomForm, fromSecond second: Int64) {
        guard !form.sensed.isEmpty else { return }
        rooms.set(form.sensed, of: device, fromSecond: second)
    }
}
