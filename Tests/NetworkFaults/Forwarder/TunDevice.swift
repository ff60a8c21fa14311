import Glibc

/// A network interface whose IP packets a program reads and writes.
struct TunDevice {
    /// The longest packet.
    static let packetAtMost = 9_216

    let descriptor: Int32

    /// Creates it in the network namespace of the caller.
    ///
    /// It can be moved to another one, and ends with the process.
    ///
    /// - Throws: The reason why it cannot be created, such as missing permissions.
    init(named name: String) throws {
        descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Refused("/dev/net/tun: errno \(errno)") }
        // struct ifreq: 16 bytes of the name, then the flags IFF_TUN | IFF_NO_PI; 40 bytes in all.
        var request = [UInt8](repeating: 0, count: 40)
        guard name.utf8.count < 16 else { throw Refused("\(name) is too long for an interface") }
        for (index, byte) in name.utf8.enumerated() { request[index] = byte }
        withUnsafeBytes(of: Int16(0x1001)) { request[16...17] = [$0[0], $0[1]] }
        let setInterface: UInt = 0x4004_54ca
        guard ioctl(descriptor, setInterface, &request) == 0 else {
            throw Refused("TUNSETIFF of \(name): errno \(errno)")
        }
        Descriptors.unblock(descriptor)
    }

    /// Reads a packet by a buffer of ``packetAtMost`` bytes; nil if there is none.
    func read(over buffer: inout [UInt8]) -> [UInt8]? {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Writes a packet; an interface that is down drops it.
    func write(_ packet: [UInt8]) {
        _ = Glibc.write(descriptor, packet, packet.count)
    }
}
