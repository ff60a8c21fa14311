/// Runs on all cores what does not depend on each other, and tells of it in its order.
enum SideBySide {
    /// Runs one thing after another, some at the same time, and hands on what came of each from the first to
    /// the last.
    ///
    /// - Parameters:
    ///   - count: How many there are.
    ///   - ahead: No more than so many are begun before what came of the first of them is handed on; at
    ///     least one.
    ///   - run: Told which: from 0 to the count, itself excluded.
    ///   - body: Given what came of each, in order.
    static func forEach<Value: Sendable>(
        _ count: Int, ahead: Int = 64, run: @escaping @Sendable (Int) -> Value, then body: (Value) -> Void
    ) async {
        await withTaskGroup(of: (Int, Value).self) { group in
            var begun = 0
            var told = 0
            var early: [Int: Value] = [:]
            while told < count {
                while begun < min(count, told + ahead) {
                    let place = begun
                    group.addTask { (place, run(place)) }
                    begun += 1
                }
                guard let (place, value) = await group.next() else { return }
                early[place] = value
                while let next = early.removeValue(forKey: told) {
                    body(next)
                    told += 1
                }
            }
        }
    }
}
