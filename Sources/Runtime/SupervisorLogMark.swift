/// The first line that a supervisor writes to its log; the lines before it are of earlier fleets.
package enum SupervisorLogMark {
    /// Its words.
    package static func text(of processID: Int32) -> String { "started, pid \(processID)" }
}
