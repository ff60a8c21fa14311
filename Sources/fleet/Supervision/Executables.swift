import Glibc

/// The other programs of the fleet, which lie beside this one.
enum Executables {
    /// Looks whether each can be run, before any is.
    ///
    /// - Throws: `CommandFailure` that names the first that is missing.
    static func check(_ processes: [ProcessPlan]) throws(CommandFailure) {
        for process in processes where access(process.executable, X_OK) != 0 {
            throw CommandFailure(
                .absent, "\(process.executable) is not there, or cannot be run",
                advice: "build everything with `swift build`: the programs are looked for beside `fleet`")
        }
    }
}
