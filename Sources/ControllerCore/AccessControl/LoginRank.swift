/// Which of two waiting log-ins goes first.
///
/// Levels count attempts that have not led to a log-in, logarithmically, when the log-in arrives: a source
/// that sends hundreds lowers the rank of its own attempts, and not of others.
struct LoginRank: Comparable, Sendable {
    /// From this level of a network, a source or an address on, the newest goes first: the attempts of an
    /// attack wait for their answers, and the attacked user's has just arrived.
    private static let pressure = 3
    private static let levelAtMost = 6

    /// Attempts from that source under that address; 0 for a source that has logged in there before.
    let flow: Int
    /// Attempts from that network: of a source that can have others at no cost.
    let network: Int
    /// Attempts from that source.
    let source: Int
    /// Attempts under that address.
    let address: Int
    /// When it arrived, among all.
    let order: UInt64

    private var levels: (Int, Int, Int, Int) { (flow, network, source, address) }
    private var isUnderPressure: Bool { max(network, source, address) >= Self.pressure }

    /// 1 for one attempt, 2 for up to three, 3 for up to seven, and so on.
    static func level(_ attempts: Int) -> Int {
        min(levelAtMost, Int.bitWidth - max(0, attempts).leadingZeroBitCount)
    }

    /// The rank of an earlier arrival, at the levels that it shares with a later one.
    func aligned(
        with later: LoginRank, ofSameNetwork isSameNetwork: Bool, source isSameSource: Bool,
        andAddress isSameAddress: Bool
    ) -> LoginRank {
        LoginRank(
            flow: isSameSource && isSameAddress ? later.flow : flow,
            network: isSameNetwork ? later.network : network,
            source: isSameSource ? later.source : source,
            address: isSameAddress ? later.address : address, order: order)
    }

    static func < (left: LoginRank, right: LoginRank) -> Bool {
        guard left.levels == right.levels else { return left.levels < right.levels }
        return left.isUnderPressure ? left.order > right.order : left.order < right.order
    }
}
