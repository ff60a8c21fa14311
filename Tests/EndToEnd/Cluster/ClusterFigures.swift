import FleetProtocol

/// What the steps of a run have measured.
struct ClusterFigures: Sendable {
    typealias Period = Range<ContinuousClock.Instant>

    /// The number of each step that was performed.
    var steps: [ClusterPlan.Step: Int] = [:]
    /// The number of lost hosts, by what they hosted.
    var lostHosts: [String: Int] = [:]
    /// The times from the mount of a volume to the first success of a toggle.
    var firstToggles: [Duration] = []
    /// The same beside a controller that was frozen: its system accepts connections, which no one answers.
    var togglesBesideFrozen: [Duration] = []
    /// The periods from the loss of a controller to the next success, with the name of its cell.
    var losses: [(cell: String, period: Period)] = []
    /// Periods without faults.
    var calm: [Period] = []
    /// The number of controllers that did not start because another host had mounted the volume.
    var refusedControllers = 0
    /// The times from the continuation of frozen controllers to their end.
    var fenced: [Duration] = []
    /// Answers at the address of a controller that was frozen: before that, and after the mount elsewhere.
    var answersOfFormer = (before: 0, after: 0)
    /// The times from the start of a lost node until its devices were online.
    var nodesBack: [Duration] = []
    /// The times from the loss of a gateway until a toggle of every user of a page had an outcome.
    var pagesBack: [Duration] = []
    /// The times from a cut until devices were lost, and from its end until all were online.
    var nodesLost: [Duration] = []
    var nodesOnline: [Duration] = []
    /// Periods with packet loss and delay on all links.
    var lossy: [Period] = []
    /// The period in which a cell was added.
    var added: Period?
    /// The messages of commands that did not create an account, or had no answer.
    var failedAccounts: [String] = []
    /// The periods from the order to move an account until its devices were online in the other cell.
    ///
    /// The cell is the one whose account it was at the start.
    var moved: [(cell: String, period: Period)] = []
    /// The messages of commands that did not move an account.
    var failedMoves: [String] = []
    /// The number of earlier requests whose outcomes were queried after a move.
    var queriedAfterMoves = 0
    /// The log-ins on each occasion.
    var logIns: [(occasion: String, counts: ClusterLogIns.Counts)] = []

    /// The number of lost hosts.
    var lostHostCount: Int { lostHosts.values.reduce(0, +) }

    /// The latencies of toggles that were sent during a loss of another cell, and in calm periods.
    ///
    /// - Parameter histories: The history of each cell, by its name.
    func latencies(in histories: [String: [Asked]]) -> (others: [Duration], calm: [Duration]) {
        var result = (others: [Duration](), calm: [Duration]())
        for (name, history) in histories {
            result.calm += Self.latencies(in: history, during: calm)
            result.others += Self.latencies(
                in: history, during: losses.filter { $0.cell != name }.map(\.period))
        }
        return result
    }

    /// The latencies of toggles that were sent while all links lost and delayed packets.
    func lossyLatencies(in histories: [String: [Asked]]) -> [Duration] {
        histories.values.flatMap { Self.latencies(in: $0, during: lossy) }
    }

    /// The latencies of acknowledged toggles that were sent in some periods.
    static func latencies(in history: [Asked], during periods: [Period]) -> [Duration] {
        history.lazy.filter { one in
            one.isAcknowledged && periods.contains { $0.contains(one.askedAt) }
        }.map { $0.answeredAt - $0.askedAt }
    }

    /// For each move of an account, the longest time in which none of its toggles was acknowledged.
    func pausesOfMoves(in histories: [String: [Asked]]) -> [Duration] {
        moved.map { cell, period in
            let times = (histories[cell] ?? []).filter { $0.isAcknowledged && period.contains($0.answeredAt) }
                .map(\.answeredAt).sorted()
            let (starts, ends) = ([period.lowerBound] + times, times + [period.upperBound])
            return zip(starts, ends).map { $1 - $0 }.max() ?? .zero
        }
    }

    /// The requests that failed while a cell was added.
    func failures(in histories: [String: [Asked]]) -> (failed: [Asked], requests: Int) {
        guard let added else { return ([], 0) }
        let during = histories.values.joined().filter { added.contains($0.askedAt) }
        return (during.filter(\.isFailure), during.count)
    }
}
