/// The state of a process as `/proc/PID/stat` has it.
enum ProcessLook {
    /// Whether a process is stopped, by SIGSTOP or a debugger; false for one that is not there.
    static func isStopped(_ processID: Int32) -> Bool {
        isStopped(stat: SystemFile.text(of: "/proc/\(processID)/stat"))
    }

    /// As above, for the text of the file: `42 (name) T …`, where the name may have blanks and brackets.
    static func isStopped(stat: String) -> Bool {
        guard let name = stat.lastIndex(of: ")") else { return false }
        let state = stat[name...].dropFirst(2).first
        return state == "T" || state == "t"
    }
}
