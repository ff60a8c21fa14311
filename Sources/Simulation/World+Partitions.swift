import FleetTime

/// Parties that are cut off from the controller, or whose messages pile up, and clocks that jump.
///
/// All of it has a generator of its own: the rest of a seed goes as it would without.
extension World {
    mutating func causePartition() {
        guard !isHealed, let pause = hazards.partitionEvery else { return }
        events.set(.partition, at: now.monotonic.advanced(by: pause))
        faults += 1
        Int.random(in: 0..<3, using: &partitions) == 0 ? clogSome() : cutOffSomebody()
    }

    /// One way or both, for less than a lease or for longer.
    private mutating func cutOffSomebody() {
        guard let party = allParties.randomElement(using: &partitions) else { return }
        let end = now.monotonic.advanced(by: .milliseconds(Int.random(in: 100...3_500, using: &partitions)))
        let ways = Int.random(in: 0..<4, using: &partitions)
        tell("\(party) is cut off, \(["to", "from", "both", "both"][ways]), until \(end.nanoseconds) ns")
        changeCable(of: party) {
            if ways != 1 { $0.toController.cutUntil = end }
            if ways != 0 { $0.fromController.cutUntil = end }
        }
    }

    /// Clogs some, one after another, and frees them in another order.
    ///
    /// FoundationDB calls it swizzled clogging: what holds in every order of single faults breaks here. The
    /// last are free two seconds later.
    private mutating func clogSome() {
        for party in allParties where Bool.random(using: &partitions) {
            let begin = Int.random(in: 0...500, using: &partitions)
            let end = begin + Int.random(in: 50...1_500, using: &partitions)
            events.set(
                .clog(party, until: now.monotonic.advanced(by: .milliseconds(end))),
                at: now.monotonic.advanced(by: .milliseconds(begin)))
        }
    }

    mutating func clog(_ party: Party, until end: MonotonicTime) {
        guard !isHealed else { return }
        tell("\(party) is clogged until \(end.nanoseconds) ns")
        changeCable(of: party) { ($0.toController.cloggedUntil, $0.fromController.cloggedUntil) = (end, end) }
    }

    /// Somebody sets the clock of the controller's machine while it runs.
    mutating func stepClock() {
        guard !isHealed else { return }
        let pause = Duration.milliseconds(Int.random(in: 300...2_000, using: &partitions))
        events.set(.clockStep, at: now.monotonic.advanced(by: pause))
        guard let life = lives.place(of: newest) else { return }
        faults += 1
        ledger.seen.insert("clock step")
        lives[life].clockError = .milliseconds(Int.random(in: -3_000...3_000, using: &partitions))
        tell("the clock of controller \(newest) is \(lives[life].clockError) wrong")
    }

    private var allParties: [Party] {
        hosts.indices.map { .host($0) } + customers.indices.map { .customer($0) }
            + watchers.indices.map { .watcher($0) }
    }

    private mutating func changeCable(of party: Party, _ change: (inout Cable) -> Void) {
        switch party {
        case .host(let index): change(&hosts[index].cable)
        case .customer(let index): change(&customers[index].cable)
        case .watcher(let index), .stream(let index): change(&watchers[index].cable)
        }
    }

    func cable(of party: Party) -> Cable {
        switch party {
        case .host(let index): hosts[index].cable
        case .customer(let index): customers[index].cable
        case .watcher(let index), .stream(let index): watchers[index].cable
        }
    }

    /// From now on everything passes; what was clogged comes when it was to come.
    mutating func mendCables() {
        for party in allParties { changeCable(of: party) { $0 = Cable() } }
    }

    /// Whether that way lets nothing through now; what it keeps back is noted.
    mutating func isCut(_ way: Cable.Direction, of party: Party) -> Bool {
        guard cable(of: party)[way].cutUntil > now.monotonic else { return false }
        let isWhole = cable(of: party).isCut(at: now.monotonic)
        switch party {
        case .host: ledger.seen.insert(isWhole ? "node cut off" : "node half cut off")
        // It does not wait for replies, so that the way to it makes no difference.
        case .customer: ledger.seen.insert("client cut off")
        case .watcher, .stream: ledger.seen.insert(isWhole ? "observer cut off" : "observer half cut off")
        }
        return true
    }

    /// When that way lets through what is sent now and so long on its way at the least.
    ///
    /// - Parameter delay: How many microseconds.
    mutating func passage(_ way: Cable.Direction, of party: Party, after delay: Int64) -> MonotonicTime {
        let arrival = MonotonicTime(nanoseconds: now.monotonic.nanoseconds + 1_000 * delay)
        let end = cable(of: party)[way].cloggedUntil
        guard end > now.monotonic else { return arrival }
        switch party {
        case .host: ledger.seen.insert("node clogged")
        case .customer: ledger.seen.insert("client clogged")
        case .watcher, .stream: ledger.seen.insert("observer clogged")
        }
        return max(arrival, end)
    }
}
