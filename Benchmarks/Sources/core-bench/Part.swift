/// A part of a toggle, done again and again with nothing around it.
struct Part: Sendable {
    /// A function that gets ready for a number of operations, and hands what does them to whoever measures.
    ///
    /// One function for both, so that variables are locals and not boxes.
    typealias Body = @Sendable (_ count: Int, _ measure: (() throws -> Void) throws -> Void) throws -> Void

    /// Its name on the command line.
    let name: String
    /// What one operation is, in words.
    let title: String
    /// What one operation may take; nil where nobody has said.
    var nanosecondsAtMost: Double?
    /// How many allocations one operation may make: half of one more than it makes with Swift 6.3.
    let allocationsAtMost: Double
    /// How many instructions one operation may take: a sixth more than it takes with Swift 6.3.
    let instructionsAtMost: Double
    /// What is done.
    let body: Body

    /// Operations of one run.
    static let operations = 20_000

    /// Every part, in the order of the table.
    static let all = [
        Part(
            name: "controller", title: "controller's core, a toggle", nanosecondsAtMost: 2_000,
            allocationsAtMost: 0.8, instructionsAtMost: 18_200, body: ControllerBench.toggles),
        Part(
            name: "controller-many", title: "controller's core, a toggle among 100,000 devices",
            allocationsAtMost: 0.8, instructionsAtMost: 18_200, body: ControllerBench.togglesOfMany),
        Part(
            name: "node", title: "node's core, a command", allocationsAtMost: 0.5, instructionsAtMost: 2_700,
            body: NodeBench.commands),
        Part(
            name: "remember", title: "device's memory, an entry written", allocationsAtMost: 0.5,
            instructionsAtMost: 1_700, body: MemoryBench.entries),
        Part(
            name: "replay", title: "device's memory, an entry read", allocationsAtMost: 0.5,
            instructionsAtMost: 4_000, body: MemoryBench.replay),
        Part(
            name: "request", title: "client's request, read", allocationsAtMost: 1.5,
            instructionsAtMost: 3_300, body: WireBench.reading(WireBench.request)),
        Part(
            name: "command", title: "command to a device, written", allocationsAtMost: 1.5,
            instructionsAtMost: 2_300, body: WireBench.writing(WireBench.command)),
        Part(
            name: "result", title: "device's answer, read", allocationsAtMost: 0.5,
            instructionsAtMost: 5_500, body: WireBench.reading(WireBench.result)),
        Part(
            name: "reply", title: "answer to the client, written", allocationsAtMost: 1.5,
            instructionsAtMost: 3_500, body: WireBench.writing(WireBench.reply)),
    ]
}
