import CZMQ

/// The libzmq that this process uses.
public enum LibZMQ {
    /// Its version, such as `4.3.4`.
    public static var version: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}
