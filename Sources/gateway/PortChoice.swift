/// The ports that a gateway tries, in this order, until one of them is free.
struct PortChoice: Equatable, Sendable {
    /// Ports from the first one on that are tried before any free port is taken.
    static let neighbours = 100

    /// The ports; 0 stands for any free one.
    let ports: [Int]

    /// The ports for the options of a gateway.
    ///
    /// - Parameters:
    ///   - port: The wanted port, or 0 for any free one.
    ///   - orNext: Whether the next free port will do where the wanted one is taken.
    ///   - former: The port that the gateway of this run directory chose last; it comes first, since open
    ///     pages and configured programs look for the gateway there. Nil where none did.
    init(_ port: UInt16, orNext: Bool, former: UInt16?) {
        guard port == 0 || orNext else {
            ports = [Int(port)]
            return
        }
        let next = port == 0 ? [] : Array(Int(port)..<min(Int(port) + Self.neighbours, Int(UInt16.max) + 1))
        ports = [former].compactMap { $0.map(Int.init) } + next.filter { $0 != former.map(Int.init) } + [0]
    }
}
