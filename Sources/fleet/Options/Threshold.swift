import ArgumentParser

/// Degrees or percent as people write them: a number with one decimal at most.
struct Threshold: ExpressibleByArgument, Equatable {
    /// In tenths.
    let tenths: Int16

    /// The threshold of those tenths.
    init(tenths: Int16) {
        self.tenths = tenths
    }

    /// The threshold of those words; nil when they are none, or have more than one decimal.
    init?(argument: String) {
        guard let number = Double(argument), number.isFinite, abs(number) <= 1_000 else { return nil }
        let tenths = (number * 10).rounded()
        guard abs(number * 10 - tenths) < 1e-6 else { return nil }
        self.tenths = Int16(tenths)
    }
}
