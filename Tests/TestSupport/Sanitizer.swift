import Glibc

/// Whether this program was built with a sanitizer, with `swift test --sanitize=...`.
package enum Sanitizer {
    /// Whether it uses memory of its own to track memory or threads.
    ///
    /// A sanitizer is a library in the program that is initialized first.
    package static let isPresent = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// Why memory is not judged if ``isPresent``.
    package static let memoryIsItsOwn: String =
        "how much memory is used cannot be judged: a sanitizer keeps what was freed, and notes of its own"
}
