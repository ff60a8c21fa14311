import CProcess
import Glibc

/// The limits that every program of the fleet sets for itself at its start, since all of them hold tokens or
/// passwords.
public enum Hardening {
    /// The variable of the environment that leaves a process open to debuggers, when it is `1`.
    ///
    /// It is for development and for tests that look into processes without being root.
    public static let traceableVariable = "SENSIBUS_TRACEABLE"

    /// Keeps the memory of the process to itself, and its new files to its user.
    ///
    /// The process writes no core file: the limit is 0, and the process is not dumpable, which holds where
    /// the system pipes cores to a program. Other processes of the same user can neither trace it nor read
    /// its memory. New files have no permissions for group and others, whatever their mode.
    ///
    /// Call it before other threads begin. Child processes inherit the limit and the mask, but not that the
    /// process is not dumpable.
    ///
    /// - Throws: `system` with the call that failed.
    public static func apply(environment: [String: String]) throws(RuntimeError) {
        umask(0o077)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else {
            throw .lastError("limit core files of", "the process")
        }
        guard environment[traceableVariable] != "1" else { return }
        guard process_set_dumpable(0) == 0 else { throw .lastError("keep debuggers from", "the process") }
    }

    /// Keeps the process and its children from gaining privileges by set-user-ID and set-group-ID programs.
    ///
    /// It cannot be undone. It holds for the calling thread, and for the threads and processes that this one
    /// begins, so call it on the main thread before others begin. A process that runs the command of
    /// `--outbox-command` must not call it, and neither must the supervisor above it: many mail programs
    /// need such a bit.
    ///
    /// - Throws: `system` with the call that failed.
    public static func forbidNewPrivileges() throws(RuntimeError) {
        guard process_forbid_new_privileges() == 0 else {
            throw .lastError("forbid new privileges of", "the process")
        }
    }

    /// Whether the system may write the process's memory to a core file, and others of its user may trace it.
    static var isDumpable: Bool { process_is_dumpable() != 0 }
}
