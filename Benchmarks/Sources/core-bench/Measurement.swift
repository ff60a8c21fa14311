/// One part, measured several times: the median of runs says more than their mean on a machine that jitters.
struct Measurement {
    private static let runs = 7

    let name: String
    /// How many operations one run does.
    let operations: Int
    /// Prepares, and gives back what is measured.
    let body: (Int) throws -> () throws -> Void

    func report() throws {
        let clock = ContinuousClock()
        var nanoseconds: [Double] = []
        for _ in 0..<Self.runs {
            let run = try body(operations)
            let (seconds, attoseconds) = try clock.measure(run).components
            nanoseconds.append((Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(operations))
        }
        nanoseconds.sort()
        let columns = [nanoseconds[Self.runs / 2], nanoseconds[0]].map {
            pad("\(Int($0.rounded())) ns", to: 12, before: true)
        }
        print(pad(name, to: 42, before: false) + columns.joined(separator: "  "))
    }

    private func pad(_ text: String, to width: Int, before: Bool) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return before ? blanks + text : text + blanks
    }
}
