import Synchronization

/// Calls a closure when the last reference to it goes.
final class ReleaseWitness {
    private let onRelease: () -> Void

    init(onRelease: @escaping () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}

/// A number that several threads count up.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// The number after counting one.
    func increment() -> Int {
        count.add(1, ordering: .relaxed).newValue
    }
}
