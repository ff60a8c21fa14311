import FleetProtocol

/// Tells one content from another.
public enum Fingerprint {
    /// Sixteen digits that differ from one content to the next (FNV-1a, 64 bits).
    public static func of(_ bytes: [UInt8]) -> String {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }.hexadecimal
    }
}
