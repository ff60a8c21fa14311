import Bus
import FleetProtocol
import Glibc
import ProcessSupport
import TestSupport
import Testing

/// Connections over which wrong passwords are tried, each with several requests under way.
enum Guessers {
    private static let underWay = 4

    /// Tries wrong passwords until that many have been answered; blocks its thread.
    ///
    /// - Returns: The number of answers of each kind.
    static func run(
        _ connections: Int, guesses: Int, email text: String, at place: FleetPlace
    ) throws -> [String: Int] {
        let context = try Context()
        defer { context.terminate() }
        let loop = try Loop(name: "guessers", context: context)
        let email = try #require(Email(text))
        var (sent, answered) = (0, 0)
        var answers: [String: Int] = [:]
        var frames = Frames()
        func guess(over socket: Socket) throws {
            guard sent < guesses, let password = Password("wrong \(sent)") else { return }
            sent += 1
            let request = ClientRequest(
                correlation: UInt64(sent), token: nil, body: .login(email: email, password: password))
            _ = try socket.send(delimited: request.wireBytes)
        }
        var sockets: [Socket] = []
        defer { for socket in sockets { socket.close() } }
        for _ in 0..<connections {
            var options = SocketOptions.defaults(for: .dealer)
            options.immediate = false
            options.secure(place[.clients].security)
            let socket = try Socket(.dealer, context: context, options: options)
            sockets.append(socket)
            try socket.connect(place[.clients].endpoint(.clients))
            for _ in 0..<underWay { try guess(over: socket) }
            loop.register(socket) {
                while (try? socket.receive(into: &frames)) == true {
                    answered += 1
                    answers[kind(of: frames.array(at: 1)), default: 0] += 1
                    try? guess(over: socket)
                }
                if answered >= guesses { loop.stop() }
            }
        }
        _ = loop.schedule(after: .seconds(240)) { loop.stop() }
        loop.run()
        return answers
    }

    private static func kind(of reply: [UInt8]) -> String {
        guard let reply = try? ClientReply(wireBytes: reply) else { return "malformed" }
        guard case .refusal(let refusal) = reply.body else { return "admitted" }
        switch refusal {
        case .unauthenticated: return "unauthenticated"
        case .busy: return "busy"
        default: return "refused"
        }
    }
}
