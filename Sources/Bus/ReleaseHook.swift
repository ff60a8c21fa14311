/// Calls a closure when the last reference to it goes.
final class ReleaseHook {
    private let onRelease: () -> Void

    init(_ onRelease: @escaping () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}
