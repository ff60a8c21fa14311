import Glibc
import RawPeers

extension RawConnection {
    /// Waits until the other side has read all that was written, over ipc.
    func awaitAccepted() throws {
        try awaitThat {
            var rest: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &rest) == 0 else { throw SystemFailure(errno: errno) }
            return rest == 0
        }
    }
}
