import Synchronization

/// Calls a closure when its last reference is released.
final class ReleaseWitness {
    private let onRelease: () -> Void

    init(onRelease: @escaping () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}

/// A counter for several threads.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    /// The number after incrementing.
    func increment() -> Int {
        count.add(1, ordering: .relaxed).newValue
    }
}
