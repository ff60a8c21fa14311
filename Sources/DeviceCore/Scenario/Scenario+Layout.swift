extension Scenario {
    /// Which group and room each device of a fleet belongs to.
    ///
    /// A device's place follows from its index over the whole fleet and from the fleet's size alone, so that
    /// every node finds the same.
    public struct Layout: Hashable, Sendable {
        /// Where a device is.
        public struct Place: Hashable, Sendable {
            /// The index of its group in the population.
            public let group: Int
            /// The index of its room among the group's; nil where the group names none.
            public let room: Int?
            /// Which device of its room it is, or of its group where that names no room: from 0.
            public let ordinal: Int
        }

        /// How many devices each group has.
        public let counts: [Int]
        /// How many devices there are.
        public let devices: Int
        private let roomCounts: [Int]
        /// The index of each group's first device.
        private let starts: [Int]

        /// The places of so many devices.
        public init(of population: Population, devices: Int) {
            self.devices = devices
            counts = population.counts(of: devices)
            roomCounts = population.groups.map(\.rooms.count)
            var next = 0
            starts = counts.map { count in
                defer { next += count }
                return next
            }
        }

        /// The place of the device of that index over the whole fleet.
        ///
        /// - Precondition: The index is below the number of devices.
        public func place(of index: Int) -> Place {
            precondition((0..<devices).contains(index), "there is no device \(index) of \(devices)")
            // Groups without devices start where the next one does: the last that starts here has it.
            let group = starts.lastIndex { $0 <= index } ?? 0
            let offset = index - starts[group]
            let rooms = roomCounts[group]
            guard rooms > 0 else { return Place(group: group, room: nil, ordinal: offset) }
            return Place(group: group, room: offset % rooms, ordinal: offset / rooms)
        }

        /// How many devices each room of a group has.
        public func roomCounts(ofGroup group: Int) -> [Int] {
            let rooms = roomCounts[group]
            return (0..<rooms).map { counts[group] / rooms + ($0 < counts[group] % rooms ? 1 : 0) }
        }
    }
}
