import ArgumentParser

/// What the memory of a node's devices survives.
enum Durability: String, CaseIterable, ExpressibleByArgument {
    /// Nothing: there is no file, and each start makes new devices.
    case none
    /// The death of the process.
    case process
    /// A loss of power too: each batch is on the disk before anything of it leaves.
    case power
}
