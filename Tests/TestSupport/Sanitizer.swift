import Glibc

/// Whether this program was built to watch itself, with `swift test --sanitize=...`.
package enum Sanitizer {
    /// Whether it keeps account of its memory or its threads in memory of its own.
    ///
    /// A sanitizer is a library in the program, which the program starts first of all.
    package static let isPresent = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// Why memory is not judged when ``isPresent``.
    package static let memoryIsItsOwn: String =
        "how much memory is used cannot be judged: a sanitizer keeps what was freed, and notes of its own"
}
