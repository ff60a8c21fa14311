import Glibc

/// Whether system calls of a process can be counted by a process that did not start it.
package enum Tracing {
    /// As root, or if the kernel's Yama allows it for processes of one user; and without a sanitizer, whose
    /// calls would be counted as well.
    package static let isAllowed = !Sanitizer.isPresent && (geteuid() == 0 || scope == 0)

    /// Why system calls are not counted unless ``isAllowed``.
    package static let notAllowed: String =
        "system calls are counted without a sanitizer, as root or where kernel.yama.ptrace_scope is 0"

    /// Yama's setting; 0 without Yama.
    private static var scope: Int {
        guard let file = fopen("/proc/sys/kernel/yama/ptrace_scope", "r") else { return 0 }
        defer { fclose(file) }
        return Int(fgetc(file)) - 0x30
    }
}
