/// The line at which the log of a supervisor begins: those before it are of earlier fleets.
package enum SupervisorLogMark {
    /// Its words.
    package static func text(of processID: Int32) -> String { "started, pid \(processID)" }
}
