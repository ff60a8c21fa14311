import ArgumentParser
import FleetProtocol
import Wording

extension RequestID {
    /// The request id of a command line.
    ///
    /// - Throws: `ValidationError` unless it is a UUID of version 7.
    static func parse(_ text: String) throws -> RequestID {
        guard let id = RequestID(text), id.isVersion7 else {
            throw ValidationError(
                "'\(SafeText.of(text))' is no request id: it is a UUID of version 7, such as "
                    + "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07")
        }
        return id
    }
}
