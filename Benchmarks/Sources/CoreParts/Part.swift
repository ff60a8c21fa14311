/// A part of a toggle, run repeatedly on its own.
package struct Part: Sendable {
    /// A function that prepares a number of operations, and passes a closure that runs them to the caller.
    ///
    /// One function does both, so that variables are locals and not boxes.
    package typealias Body =
        @Sendable (_ count: Int, _ measure: (() throws -> Void) throws -> Void) throws -> Void

    /// Its name on the command line.
    package let name: String
    /// The description of one operation.
    package let title: String
    /// The bound of an operation's processor time; nil without one.
    package var nanosecondsAtMost: Double?
    /// The bound of an operation's allocations: 0.1 to 0.5 more than with Swift 6.3.
    package let allocationsAtMost: Double
    /// The bound of an operation's instructions: a twentieth to a sixth more than with Swift 6.3.
    package let instructionsAtMost: Double
    /// The operations.
    package let body: Body

    /// The number of operations of one run.
    static let operations = 20_000

    /// All parts, in the order of the table.
    package static let all = [
        Part(
            name: "controller", title: "controller's core, a toggle", nanosecondsAtMost: 2_000,
            allocationsAtMost: 0.1, instructionsAtMost: 11_500, body: ControllerBench.toggles),
        Part(
            name: "controller-many", title: "controller's core, a toggle among 100,000 devices",
            allocationsAtMost: 0.1, instructionsAtMost: 11_500, body: ControllerBench.togglesOfMany),
        Part(
            name: "node", title: "node's core, a command", allocationsAtMost: 0.5, instructionsAtMost: 2_800,
            body: NodeBench.commands),
        Part(
            name: "remember", title: "device's memory, an entry written", allocationsAtMost: 0.5,
            instructionsAtMost: 1_700, body: MemoryBench.entries),
        Part(
            name: "replay", title: "device's memory, an entry read", allocationsAtMost: 0.5,
            instructionsAtMost: 4_000, body: MemoryBench.replay),
        Part(
            name: "request", title: "client's request, read", allocationsAtMost: 1.5,
            instructionsAtMost: 2_750, body: WireBench.reading(WireBench.request)),
        Part(
            name: "command", title: "command to a device, written", allocationsAtMost: 1.5,
            instructionsAtMost: 1_450, body: WireBench.writing(WireBench.command)),
        Part(
            name: "result", title: "device's answer, read", allocationsAtMost: 0.5,
            instructionsAtMost: 4_000, body: WireBench.reading(WireBench.result)),
        Part(
            name: "reply", title: "answer to the client, written", allocationsAtMost: 1.5,
            instructionsAtMost: 2_000, body: WireBench.writing(WireBench.reply)),
    ]
}
