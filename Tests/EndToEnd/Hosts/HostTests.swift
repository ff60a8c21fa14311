import Testing

extension EndToEnd {
    /// Fleets over several hosts; `Tests/in-namespaces` runs them.
    @Suite("Hosts")
    struct HostTests {}
}
