import FoundationEssentials

/// The present life of the machine, from when it was switched on or restarted.
public enum SystemBoot {
    /// Its random name, made by the kernel: 36 characters; empty where the kernel has none.
    public static let id: String = {
        let bytes = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") ?? Data()
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(36), as: UTF8.self)
    }()
}
