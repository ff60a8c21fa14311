extension Scenario {
    /// Which group and room each device of a fleet belongs to.
    ///
    /// A device's place follows from its index over the whole fleet alone: every node finds the same, and
    /// nobody moves when the fleet grows or shrinks. Groups with a count have the first devices, one group
    /// after the other; after them groups take turns, as often in a round as their shares say and as evenly
    /// as can be (smooth weighted round robin).
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

        /// A device's turn in a round.
        private struct Turn: Hashable {
            let group: Int
            /// Turns of the same group before it.
            let earlier: Int
        }

        /// How many of the first devices each group has.
        private let counts: [Int]
        /// How often each group has its turn in a round.
        private let weights: [Int]
        private let round: [Turn]
        private let roomCounts: [Int]

        /// The places in a population.
        public init(of population: Population) {
            counts = population.groups.map { if case .count(let count) = $0.size { count } else { 0 } }
            let shares = population.groups.map { if case .share(let share) = $0.size { share } else { 0 } }
            // Where no group has a share, all take turns.
            weights = shares.contains { $0 > 0 } ? shares : shares.map { _ in 1 }
            roomCounts = population.groups.map(\.rooms.count)
            round = Self.round(of: weights)
        }

        /// Every group's turns: at each it is the turn of the one that has waited for most of its own.
        private static func round(of weights: [Int]) -> [Turn] {
            let sum = weights.reduce(0, +)
            var credits = weights.map { _ in 0 }
            var taken = credits
            return (0..<sum).map { _ in
                var next = 0
                for group in weights.indices {
                    credits[group] += weights[group]
                    if credits[group] > credits[next] { next = group }
                }
                credits[next] -= sum
                defer { taken[next] += 1 }
                return Turn(group: next, earlier: taken[next])
            }
        }

        /// The place of the device of that index over the whole fleet.
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

        /// How many of so many devices each group has; they add up to just as many.
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

        /// How many of so many devices of a group each of its rooms has.
        public func roomCounts(ofGroup group: Int, with devices: Int) -> [Int] {
            let rooms = roomCounts[group]
            return (0..<rooms).map { devices / rooms + ($0 < devices % rooms ? 1 : 0) }
        }
    }
}

extension Scenario {
    /// What happens to the processes that host devices.
    public struct Nodes: Hashable, Sendable {
        /// How often each one crashes.
        public var crashes: Rate

        /// Nodes that crash so often: of themselves never.
        public init(crashes: Rate = .never) {
            self.crashes = crashes
        }
    }
}

extension Scenario {
    /// What people do, for each device.
    public struct People: Hashable, Sendable {
        /// How often somebody switches it on or off with the app.
        public var switches: Rate
        /// How often somebody uses its hand remote.
        public var handRemotes: Rate

        /// People of those habits: of themselves they do nothing.
        public init(switches: Rate = .never, handRemotes: Rate = .never) {
            self.switches = switches
            self.handRemotes = handRemotes
        }
    }
}

extension Scenario {
    /// What becomes of infrared between a device and its air conditioner.
    public struct Infrared: Hashable, Sendable {
        /// How likely a signal does not arrive, 0 to 1.
        public var loss: Double

        /// Infrared that is lost so often: of itself never.
        public init(loss: Double = 0) {
            self.loss = loss
        }
    }
}
