extension Scenario {
    /// Which devices there are, and where.
    public struct Population: Hashable, Sendable {
        /// The groups, at least one.
        public let groups: [Group]

        /// The population of those groups: of itself one, of devices that are all alike.
        ///
        /// - Precondition: There is a group.
        public init(groups: [Group] = [Group()]) {
            precondition(!groups.isEmpty, "a population has a group")
            self.groups = groups
        }

        /// How many of so many devices each group has; they add up to just as many.
        ///
        /// Counts come first, in the groups' order, while devices last. What is left goes by the shares;
        /// where no group has a share, in proportion to the counts. What does not come out even goes by the
        /// largest remainder, to the earlier group of two that are alike (Hamilton's method).
        public func counts(of devices: Int) -> [Int] {
            var left = devices
            var counts = groups.map { group in
                guard case .count(let count) = group.size else { return 0 }
                let taken = min(count, left)
                left -= taken
                return taken
            }
            let shares = groups.map { if case .share(let share) = $0.size { share } else { 0 } }
            let hasShares = shares.contains { $0 > 0 }
            let weights = hasShares ? shares : counts
            for (index, more) in Self.apportioned(left, by: weights).enumerated() { counts[index] += more }
            return counts
        }

        /// A whole number split in proportion to whole weights, so that the parts add up to it.
        ///
        /// - Precondition: A weight is positive, and none is negative, unless there is nothing to split.
        static func apportioned(_ whole: Int, by weights: [Int]) -> [Int] {
            let sum = weights.reduce(0, +)
            guard whole > 0 else { return weights.map { _ in 0 } }
            precondition(sum > 0, "there is no weight to split \(whole) by")
            let quotas = weights.map { (whole * $0).quotientAndRemainder(dividingBy: sum) }
            var parts = quotas.map(\.quotient)
            let byRemainder = quotas.indices.sorted {
                (quotas[$1].remainder, $0) < (quotas[$0].remainder, $1)
            }
            for index in byRemainder.prefix(whole - parts.reduce(0, +)) { parts[index] += 1 }
            return parts
        }
    }
}
