import FoundationEssentials
import ProcessSupport
import Subprocess
import Testing
import UserText

@testable import fleet

@Suite("The certificate of --tls-name", .timeLimit(.minutes(1)))
struct GatewayCertificateTests {
    private let place: TemporaryRunDirectory

    init() throws { place = try TemporaryRunDirectory() }

    private func certificate(for name: String = "home.sensibo.com") -> GatewayCertificate {
        GatewayCertificate(name: valid(NetworkHost(name)), directory: place.directory)
    }

    private func text(_ file: RunFile) throws -> String {
        try String(contentsOfFile: file.path(in: place.directory), encoding: .utf8)
    }

    /// Whether OpenSSL's strict checks accept the certificate for a name.
    private func isAccepted(for name: String) async throws -> Bool {
        try await Subprocess.run(
            .name("openssl"),
            arguments: [
                "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", name, "-CAfile",
                certificate().authority, RunFile.certificate.path(in: place.directory),
            ], output: .discarded, error: .discarded
        ).terminationStatus.isSuccess
    }

    @Test("strict clients accept it for the name and for this machine, and only the user can read the keys")
    func strict() async throws {
        try await certificate().make(serial: 1)
        #expect(try await isAccepted(for: "home.sensibo.com"))
        #expect(try await isAccepted(for: "localhost"))
        #expect(try await !isAccepted(for: "sensibo.com"))
        for file in [RunFile.authorityKey, .certificateKey] {
            #expect(FileStatus(of: file.path(in: place.directory))?.permissions == 0o600)
        }
    }

    @Test("a second start makes a new certificate of the same authority, and another name has another one")
    func secondStart() async throws {
        try await certificate().make(serial: 2)
        let (authority, first) = (try text(.authority), try text(.certificate))
        try await certificate().make(serial: 4)
        #expect(try text(.authority) == authority && text(.certificate) != first)
        #expect(try await isAccepted(for: "home.sensibo.com"))
        try await certificate(for: "cloud.example.org").make(serial: 6)
        #expect(try text(.authority) != authority)
        #expect(try await isAccepted(for: "cloud.example.org"))
    }

    @Test("an authority that would end before the certificate, or that was not completed, is replaced")
    func renewal() async throws {
        try await certificate().make(serial: 2)
        let days = String(GatewayCertificate.days - 1)
        let old = try await Subprocess.run(
            .name("openssl"),
            arguments: [
                "x509", "-in", certificate().authority, "-signkey",
                RunFile.authorityKey.path(in: place.directory), "-days", days,
            ], output: .string(limit: 1 << 16), error: .discarded)
        for authority in [old.standardOutput, ""] {
            try authority.write(toFile: certificate().authority, atomically: false, encoding: .utf8)
            try await certificate().make(serial: 4)
            #expect(try text(.authority) != authority)
            #expect(try await isAccepted(for: "home.sensibo.com"))
        }
    }

    @Test("an authority whose key was lost makes no certificate, and the failure says what to remove")
    func lostKey() async throws {
        try await certificate().make(serial: 2)
        try PrivateFile(path: RunFile.authorityKey.path(in: place.directory)).remove()
        let failure = await #expect(throws: CommandFailure.self) { try await certificate().make(serial: 4) }
        #expect(failure?.advice.contains("remove \(certificate().authority)") == true)
    }
}
