import Glibc

/// How strong a claim the current thread has to a processor that others want as well.
public enum ThreadPriority {
    /// The nice value of a thread that gives way, with which its weight is 110 where an ordinary thread's
    /// is 1,024 (`sched_prio_to_weight` of Linux).
    public static let ofGivingWay: Int32 = 10

    /// Has the current thread give way to all others, from now on and for good.
    ///
    /// A thread that wakes need not wait for it, and while its processor is busy it still gets a tenth of
    /// what an ordinary thread gets. Linux has a nice value for each thread, unlike POSIX: see sched(7).
    public static func giveWay() {
        let result = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, ofGivingWay)
        precondition(result == 0, "setpriority refuses a thread less than it has: errno \(errno)")
    }

    /// The nice value of the current thread: 0 for an ordinary one, more for one that gives way.
    public static var niceValue: Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }
}
