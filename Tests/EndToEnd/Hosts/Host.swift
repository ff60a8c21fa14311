import Glibc
import Testing

/// A host of a test: a network namespace with one interface, and a lab whose programs run in it.
struct Host: Sendable {
    /// Its number, from 1 on, which is its port at the forwarder and the last byte of its addresses.
    let number: Int
    /// Its name in the others' `/etc/hosts`.
    let name: String
    /// Runs programs on this host.
    let lab: Lab
    /// The words that enter its network; none for the host of the test process itself.
    let entry: [String]
    /// Its own `/etc/hosts`.
    let namesFile: String
    /// The nanoseconds by which its wall clock is wrong, as 8 bytes.
    let clockFile: String

    /// Its address at first, and the one to which it moves.
    var address: String { "10.77.0.\(number)" }
    var otherAddress: String { "10.77.1.\(number)" }

    /// Runs a system program in its network, and fails the test if that fails.
    @discardableResult
    func system(_ program: String, _ arguments: String...) async throws -> String {
        let ended = try await lab.run(program, arguments)
        try #require(ended.status == 0, "\(name): \(program) \(arguments): \(ended.talk)")
        return ended.output
    }

    /// Makes its wall clock wrong, for all of its running and later programs.
    func shiftClock(by duration: Duration) throws {
        let nanoseconds = Int64(duration / .nanoseconds(1))
        let file = open(clockFile, O_WRONLY)
        try #require(file >= 0, "errno \(errno)")
        defer { close(file) }
        let count = withUnsafeBytes(of: nanoseconds) { pwrite(file, $0.baseAddress, $0.count, 0) }
        try #require(count == 8, "errno \(errno)")
    }
}
