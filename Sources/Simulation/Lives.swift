/// The controller's lives that have not ended, by number; two at most, for there is a second one at times.
struct Lives {
    private var numbered: [(number: Int, life: Life)] = []

    var count: Int { numbered.count }

    /// In their order.
    var numbers: [Int] { numbered.map(\.number).sorted() }

    subscript(number: Int) -> Life? {
        get {
            for entry in numbered where entry.number == number { return entry.life }
            return nil
        }
        set {
            numbered.removeAll { $0.number == number }
            if let newValue { numbered.append((number, newValue)) }
        }
    }
}
