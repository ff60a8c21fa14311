import Glibc

/// Whether system calls of a process can be counted by one that did not start it.
package enum Tracing {
    /// As root, or where the kernel's Yama does not keep processes of one user apart; nor is a sanitizer
    /// there, whose calls would be counted as well.
    package static let isAllowed = !Sanitizer.isPresent && (geteuid() == 0 || scope == 0)

    /// Why system calls are not counted when ``isAllowed`` is not true.
    package static let notAllowed: String =
        "system calls are counted without a sanitizer, as root or where kernel.yama.ptrace_scope is 0"

    /// What Yama says; 0 where there is no Yama.
    private static var scope: Int {
        guard let file = fopen("/proc/sys/kernel/yama/ptrace_scope", "r") else { return 0 }
        defer { fclose(file) }
        return Int(fgetc(file)) - 0x30
    }
}
