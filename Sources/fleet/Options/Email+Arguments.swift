import ArgumentParser
import FleetProtocol
import Wording

extension Email {
    /// The email address of a command line.
    ///
    /// - Throws: `ValidationError` unless it looks like one.
    static func parse(_ text: String) throws -> Email {
        guard let email = Email(text) else {
            throw ValidationError(
                "'\(SafeText.of(text))' is no email address, such as demo@sensibus.local")
        }
        return email
    }
}
