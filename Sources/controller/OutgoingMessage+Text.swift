import ControllerCore
import FleetProtocol
import Wording

extension OutgoingMessage {
    /// The message as it is handed over: headers and a text, as RFC 5322 has them.
    ///
    /// It has neither a sender nor a date, which whoever sends it on adds.
    var text: String {
        """
        To: \(recipient.mailbox)
        Subject: Another password for Sensibus
        Auto-Submitted: auto-generated
        Content-Type: text/plain; charset=utf-8

        Somebody, perhaps you, has forgotten the password of \(recipient).

        With this token another one can be chosen, once, until \(deadline) UTC:

        \(token.bytes.hexadecimal)

        On the page: "Forgot password?", then "I have a token". In a shell: fleet password reset.

        If it was not you, do nothing: the password is as it was.

        """
    }

    private var deadline: String {
        var bytes: [UInt8] = []
        TimeText.append(second: expiresAt, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Email {
    /// The address as a header names it: RFC 5322, section 3.4.1, with RFC 6532 for what is beyond ASCII.
    ///
    /// What would otherwise part it from another address is in quotes.
    var mailbox: String {
        let parts = address.split(separator: "@", maxSplits: 1)
        guard let local = parts.first, let domain = parts.last, !Self.isDotAtom(local) else { return address }
        let quoted = local.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(quoted)\"@\(domain)"
    }

    /// Whether a header can name the address, and nobody else with it: its domain is one, or an address of a
    /// machine in brackets.
    var hasMailbox: Bool {
        guard let domain = address.split(separator: "@", maxSplits: 1).last else { return false }
        return domain.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x7f || ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                || ".-[]:".unicodeScalars.contains(scalar)
        }
    }

    private static func isDotAtom(_ text: Substring) -> Bool {
        let isAtoms = text.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x7f || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "!#$%&'*+-/=?^_`{|}~.".unicodeScalars.contains(scalar)
        }
        return isAtoms && !text.hasPrefix(".") && !text.hasSuffix(".") && !text.contains("..")
    }
}
