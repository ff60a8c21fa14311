import FleetProtocol

/// The random sources of a run, one for each kind of choice, so that an added kind does not change the others
/// for a seed.
struct RandomSources {
    /// For everything that has no source of its own.
    var main: SeededGenerator
    /// For partitions, clogged links and clock errors.
    var partitions: SeededGenerator
    /// For the changes of settings that clients request.
    var settings: SeededGenerator
    /// For command queues and deaths between journal and store.
    var commandQueues: SeededGenerator
    /// For older copies of memory files.
    var memoryCopies: SeededGenerator
    /// For older copies of the controller's files.
    var files: SeededGenerator
    var accounts: SeededGenerator
    var roles: SeededGenerator
    /// For second processes of a node.
    var twins: SeededGenerator

    init(seed: UInt64) {
        main = SeededGenerator(seed: seed)
        partitions = .derived(seed: seed, purpose: 1)
        settings = .derived(seed: seed, purpose: 2)
        commandQueues = .derived(seed: seed, purpose: 3)
        memoryCopies = .derived(seed: seed, purpose: 4)
        accounts = .derived(seed: seed, purpose: 5)
        roles = .derived(seed: seed, purpose: 9)
        files = .derived(seed: seed, purpose: 6)
        twins = .derived(seed: seed, purpose: 7)
    }
}
