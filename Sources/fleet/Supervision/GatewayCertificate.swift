import FleetProtocol
import Glibc
import ProcessSupport
import Subprocess
import SystemPackage
import UserText

/// The certificate of `--tls-name`, and the authority that signs it: files of the run directory, which the
/// program `openssl` makes.
///
/// Each start makes a new certificate. The authority stays, so that clients get it once. It is replaced when
/// the name changes, or when it would end before a certificate that it signs.
struct GatewayCertificate: Equatable, Sendable {
    /// How long a certificate is valid: Apple's systems accept no more of an authority that a user has added.
    static let days = 825
    static let authorityDays = 3_650

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    let name: NetworkHost
    let directory: RunDirectory

    /// The certificate of the authority, which clients trust.
    var authority: String { path(of: .authority) }

    /// The arguments of the gateway. Its URL has the first public name, by which this machine reaches it.
    var arguments: [String] {
        [
            "--tls-certificate", path(of: .certificate), "--tls-key", path(of: .certificateKey),
            "--public-name", "localhost", "--public-name", name.name,
        ]
    }

    /// The extensions that strict clients require. An authority that clients trust for this name and this
    /// machine only can harm no other connection of theirs.
    private var settings: String {
        """
        [req]
        distinguished_name = subject
        [subject]
        [authority]
        basicConstraints = critical,CA:TRUE,pathlen:0
        keyUsage = critical,keyCertSign,cRLSign
        subjectKeyIdentifier = hash
        nameConstraints = critical,@permitted
        [permitted]
        permitted;DNS.1 = \(name)
        permitted;DNS.2 = localhost
        permitted;IP.1 = 127.0.0.0/255.0.0.0
        permitted;IP.2 = ::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
        [certificate]
        basicConstraints = critical,CA:FALSE
        keyUsage = critical,digitalSignature
        extendedKeyUsage = serverAuth
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        subjectAltName = DNS:\(name),DNS:localhost,IP:127.0.0.1,IP:::1

        """
    }

    /// Whether a certificate can be for a name: one of DNS, not an address, and not a name of this machine.
    static func isPossible(_ name: NetworkHost) -> Bool {
        let labels = name.name.split(separator: ".", omittingEmptySubsequences: false)
        return IPAddress(name.name) == nil && !name.isLoopback && name.name.utf8.count <= 253
            && labels.allSatisfy { 1...63 ~= $0.utf8.count && $0.first != "-" && $0.last != "-" }
    }

    /// Makes the certificate, and an authority unless there is one for the name.
    ///
    /// - Parameter serial: The serial number of the certificate: an authority must not use one twice.
    func make(serial: UInt64) async throws {
        let file = PrivateFile(path: path(of: .certificateSettings))
        let isForName = try file.read() == Array(settings.utf8)
        if try await !outlastsCertificate() || !isForName {
            // Without it, an interrupted start leaves no authority that seems to be complete.
            try PrivateFile(path: authority).remove()
            try file.replace(with: Array(settings.utf8))
            try await openssl(
                ["req", "-x509"] + Self.newKey + [
                    "-subj", "/CN=Sensibus authority", "-days", String(Self.authorityDays), "-config",
                    RunFile.certificateSettings.rawValue, "-extensions", "authority", "-keyout",
                    RunFile.authorityKey.rawValue, "-out", RunFile.authority.rawValue,
                ])
        }
        let request = try await openssl(
            ["req"] + Self.newKey + [
                "-subj", "/CN=Sensibus gateway", "-config", RunFile.certificateSettings.rawValue, "-keyout",
                RunFile.certificateKey.rawValue,
            ])
        try await openssl(
            [
                "x509", "-req", "-CA", RunFile.authority.rawValue, "-CAkey", RunFile.authorityKey.rawValue,
                "-set_serial", String(serial >> 1), "-days", String(Self.days), "-extfile",
                RunFile.certificateSettings.rawValue, "-extensions", "certificate", "-out",
                RunFile.certificate.rawValue,
            ], input: request)
    }

    private func outlastsCertificate() async throws -> Bool {
        let seconds = String(Self.days * 86_400)
        let result = try await run([
            "x509", "-noout", "-in", RunFile.authority.rawValue, "-checkend", seconds,
        ])
        return result.isSuccess
    }

    @discardableResult
    private func openssl(_ arguments: [String], input: String = "") async throws -> String {
        let result = try await run(arguments, input: input)
        guard result.isSuccess else {
            let text = result.talk.split(whereSeparator: \.isNewline).joined(separator: " ")
            throw CommandFailure(
                .refused, "openssl \(arguments[0]) made no certificate: \(SafeText.of(text))",
                advice: "if its files are damaged, remove \(authority) for a new authority")
        }
        return result.output
    }

    private func run(
        _ arguments: [String], input: String = ""
    ) async throws -> (isSuccess: Bool, output: String, talk: String) {
        do {
            let result = try await Subprocess.run(
                .name("openssl"), arguments: Arguments(arguments), workingDirectory: FilePath(directory.path),
                platformOptions: .stopping(within: .seconds(1)), input: .string(input),
                output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
            return (result.terminationStatus.isSuccess, result.standardOutput, result.standardError)
        } catch let error as SubprocessError where error.code == .executableNotFound {
            throw CommandFailure(
                .absent, "--tls-name needs the program openssl, which is not in the PATH",
                advice: "install it, or give --tls-certificate and --tls-key instead")
        }
    }

    private func path(of file: RunFile) -> String { "\(directory)/\(file.rawValue)" }
}

extension GatewayCertificate {
    /// Prints what clients of the name need: its address, the port, and the authority.
    func notify(in surroundings: Surroundings) {
        guard let port = FleetGateway.url(in: directory).flatMap(FleetGateway.port) else { return }
        for line in lines(port: port) { surroundings.notify("fleet: \(line)") }
    }

    private func lines(port: UInt16) -> [String] {
        let portAdvice =
            port == 443
            ? []
            : [
                "clients that use port 443 need --gateway-port 443; "
                    + "permit it by `sysctl net.ipv4.ip_unprivileged_port_start=443` as root"
            ]
        return ["clients of https://\(name) use port \(port) with this line in /etc/hosts: 127.0.0.1 \(name)"]
            + portAdvice + [
                "the authority for curl: --cacert \(authority)",
                "for Python, aiohttp and Go: SSL_CERT_FILE=\(authority)",
                "for requests and Home Assistant: REQUESTS_CA_BUNDLE=\(authority)",
                "for Node.js and Homebridge: NODE_EXTRA_CA_CERTS=\(authority)",
                "for Java and openHAB: keytool -importcert -noprompt -alias sensibus -storepass changeit "
                    + "-keystore trust.p12 -file \(authority), then -Djavax.net.ssl.trustStore=trust.p12 "
                    + "-Djavax.net.ssl.trustStorePassword=changeit",
            ]
    }
}
