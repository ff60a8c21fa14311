import TestSupport

/// A fault of one host's connection to all others.
enum HostFault: String, CaseIterable, Sendable {
    /// The interface is down: the host knows.
    case partition = "interface down"
    /// One direction only.
    case mute = "packets to others lost"
    case deaf = "packets from others lost"
    /// Nothing passes, and no peer is informed.
    case blackhole = "all packets lost"
    case lossy = "1 % loss and 20 ms delay"
    case reordered = "packets reordered"
    case duplicated = "packets duplicated"
    case narrow = "2 Mbit/s"
    case smallPackets = "packets of 576 bytes"
    /// Its name has another address, and the former one is gone.
    case moved = "another address"
    case clockAhead = "wall clock 10 min ahead"
    case clockBehind = "wall clock 10 min behind"
}

extension HostLab {
    /// Begins a fault.
    func begin(_ fault: HostFault, at host: Host) async throws {
        switch fault {
        case .partition: try await host.system("/sbin/ip", "link", "set", "eth0", "down")
        case .mute: try forwarder.perform("link \(host.number) * loss 1")
        case .deaf: try forwarder.perform("link * \(host.number) loss 1")
        case .blackhole: try disturb(host, "loss 1")
        case .lossy: try disturb(host, "loss 0.01 delay 20 jitter 2")
        case .reordered: try disturb(host, "reorder 0.05 delay 2")
        case .duplicated: try disturb(host, "duplicate 0.1")
        case .narrow:
            try await host.system(
                "/sbin/tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", "2mbit", "burst", "10kb",
                "latency", "200ms")
        case .smallPackets: try await host.system("/sbin/ip", "link", "set", "eth0", "mtu", "576")
        case .moved: try await move(host, from: host.address, to: host.otherAddress)
        case .clockAhead: try host.shiftClock(by: .seconds(600))
        case .clockBehind: try host.shiftClock(by: .seconds(-600))
        }
    }

    /// Ends a fault.
    func end(_ fault: HostFault, at host: Host) async throws {
        switch fault {
        case .partition: try await host.system("/sbin/ip", "link", "set", "eth0", "up")
        case .deaf, .mute, .blackhole, .lossy, .reordered, .duplicated: try disturb(host, "")
        case .narrow: try await host.system("/sbin/tc", "qdisc", "del", "dev", "eth0", "root")
        case .smallPackets: try await host.system("/sbin/ip", "link", "set", "eth0", "mtu", "1500")
        case .moved: try await move(host, from: host.otherAddress, to: host.address)
        case .clockAhead, .clockBehind: try host.shiftClock(by: .zero)
        }
    }

    /// Sets the rule of all links from and to a host.
    private func disturb(_ host: Host, _ rule: String) throws {
        try forwarder.perform("link \(host.number) * \(rule)")
        try forwarder.perform("link * \(host.number) \(rule)")
    }

    private func move(_ host: Host, from former: String, to address: String) async throws {
        try await host.system("/sbin/ip", "addr", "del", "\(former)/16", "dev", "eth0")
        try await host.system("/sbin/ip", "addr", "add", "\(address)/16", "dev", "eth0")
        let lines = hosts.map { "\($0.number == host.number ? address : $0.address) \($0.name)" }
        for other in hosts { try Self.write(["127.0.0.1 localhost"] + lines, to: other.namesFile) }
    }
}
