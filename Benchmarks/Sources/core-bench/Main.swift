/// Measures the parts of a toggle on this machine, each alone, and prints the median of several runs.
@main
struct Main {
    static func main() throws {
        print("part                                        median        fastest")
        try Measurement(
            name: "controller's core, one toggle", operations: 20_000, body: ControllerBench.toggles
        ).report()
        try Measurement(name: "node's core, one command", operations: 50_000, body: NodeBench.commands)
            .report()
        try Measurement(
            name: "device's memory, one entry to bytes", operations: 200_000, body: MemoryBench.entries
        ).report()
        try Measurement(
            name: "device's memory, one entry from bytes", operations: 200_000, body: MemoryBench.replay
        ).report()
        try Measurement(name: "request to bytes and back", operations: 50_000, body: WireBench.requests)
            .report()
        try Measurement(
            name: "bus, one message PUSH to PULL over inproc", operations: 100_000, body: BusBench.messages
        ).report()
    }
}
