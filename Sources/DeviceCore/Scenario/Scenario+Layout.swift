extension Scenario {
    /// The group and room of each device of a fleet.
    ///
    /// A device's place depends only on its index over the whole fleet. Every node computes the same place,
    /// and no device moves when the fleet grows or shrinks. Groups with a count get the first devices, in
    /// order. The other devices go to the groups with shares by smooth weighted round robin: in proportion to
    /// the shares, and as evenly as possible.
    public struct Layout: Hashable, Sendable {
        public struct Place: Hashable, Sendable {
            /// The index of its group in the population.
            public let group: Int
            /// The index of its room within the group; nil if the group names no rooms.
            public let room: Int?
            /// The number of the device within its room, or within its group if that names no rooms; from 0.
            let ordinal: Int
        }

        /// One turn of a round: the group that gets a device.
        private struct Turn: Hashable {
            let group: Int
            /// The number of earlier turns of the same group in the round.
            let earlier: Int
        }

        /// The number of devices of each group with a count; 0 for the others.
        private let counts: [Int]
        /// The number of turns of each group in a round.
        private let weights: [Int]
        private let round: [Turn]
        private let roomCounts: [Int]

        public init(of population: Population) {
            counts = population.groups.map { if case .count(let count) = $0.size { count } else { 0 } }
            let shares = population.groups.map { if case .share(let share) = $0.size { share } else { 0 } }
            // If no group has a share, all groups take turns.
            weights = shares.contains { $0 > 0 } ? shares : shares.map { _ in 1 }
            roomCounts = population.groups.map(\.rooms.count)
            round = Self.round(of: weights)
        }

        /// Returns the turns of a round: each goes to the group with the highest credit.
        private static func round(of weights: [Int]) -> [Turn] {
            let sum = weights.reduce(0, +)
            var credits = weights.map { _ in 0 }
            var spent = credits
            return (0..<sum).map { _ in
                var next = 0
                for group in weights.indices {
                    credits[group] += weights[group]
                    if credits[group] > credits[next] { next = group }
                }
                credits[next] -= sum
                defer { spent[next] += 1 }
                return Turn(group: next, earlier: spent[next])
            }
        }

        /// Returns the place of the device with an index over the whole fleet.
        public func place(of index: Int) -> Place {
            var left = index
            for (group, count) in counts.enumerated() {
                guard left >= count else { return place(in: group, left) }
                left -= count
            }
            let (rounds, turn) = left.quotientAndRemainder(dividingBy: round.count)
            let group = round[turn].group
            return place(in: group, counts[group] + rounds * weights[group] + round[turn].earlier)
        }

        private func place(in group: Int, _ offset: Int) -> Place {
            let rooms = roomCounts[group]
            guard rooms > 0 else { return Place(group: group, room: nil, ordinal: offset) }
            return Place(group: group, room: offset % rooms, ordinal: offset / rooms)
        }

        /// Returns the number of devices of each group in a fleet of a size; the sum is that size.
        public func counts(of devices: Int) -> [Int] {
            var left = devices
            var result = counts.map { count in
                defer { left -= min(count, left) }
                return min(count, left)
            }
            let (rounds, turns) = left.quotientAndRemainder(dividingBy: round.count)
            for (group, weight) in weights.enumerated() { result[group] += rounds * weight }
            for turn in round.prefix(turns) { result[turn.group] += 1 }
            return result
        }

        /// Returns the number of devices in each room of a group with a number of devices.
        public func roomCounts(ofGroup group: Int, with devices: Int) -> [Int] {
            let rooms = roomCounts[group]
            return (0..<rooms).map { devices / rooms + ($0 < devices % rooms ? 1 : 0) }
        }
    }
}

extension Scenario {
    /// The events of the processes that host devices.
    public struct Nodes: Hashable, Sendable {
        /// The rate at which each node crashes.
        public var crashes: Rate

        /// Nodes with a rate of crashes; by default, none crashes.
        public init(crashes: Rate = .never) { self.crashes = crashes }
    }
}

extension Scenario {
    /// The actions of people, for each device.
    public struct People: Hashable, Sendable {
        /// The rate at which people switch the device on or off with the app.
        public var switches: Rate
        /// The rate at which people use the device's hand remote.
        public var handRemotes: Rate

        /// People with those rates; by default, no actions.
        public init(switches: Rate = .never, handRemotes: Rate = .never) {
            (self.switches, self.handRemotes) = (switches, handRemotes)
        }
    }
}

extension Scenario {
    /// The infrared link between a device and its air conditioner.
    public struct Infrared: Hashable, Sendable {
        /// The probability that a signal is lost, 0 to 1.
        public var loss: Double

        /// Infrared with a probability of loss; by default, none is lost.
        public init(loss: Double = 0) { self.loss = loss }
    }
}
