import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// A connection over TLS, with the certificate that holds when it opens.
struct SecureChannel<Plain: ServerChildChannel>: ServerChildChannel {
    let plain: Plain
    let certificates: Certificates

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Plain.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: certificates.context))
        }.flatMap {
            plain.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Plain.Value, logger: Logger) async {
        await plain.handle(value: value, logger: logger)
    }
}

/// The certificate and its key, as their files had them last.
final class Certificates: Sendable {
    private let chainFile: String
    private let keyFile: String
    private let current: Mutex<NIOSSLContext>

    /// Reads both files, PEM.
    ///
    /// - Throws: `badCertificate`.
    init(chainFile: String, keyFile: String) throws(GatewayError) {
        self.chainFile = chainFile
        self.keyFile = keyFile
        current = Mutex(try Self.read(chainFile, keyFile))
    }

    /// What the next connection is made with.
    var context: NIOSSLContext { current.withLock { $0 } }

    /// Reads both files again; where they cannot be used, what they had before holds on.
    ///
    /// - Throws: `badCertificate`.
    func reload() throws(GatewayError) {
        let context = try Self.read(chainFile, keyFile)
        current.withLock { $0 = context }
    }

    private static func read(_ chainFile: String, _ keyFile: String) throws(GatewayError) -> NIOSSLContext {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(chainFile).map(NIOSSLCertificateSource.certificate)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain,
                privateKey: .privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem)))
            tls.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw .badCertificate("\(error)")
        }
    }
}
