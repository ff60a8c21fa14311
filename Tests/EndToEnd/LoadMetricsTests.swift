import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The metrics of `fleet load`, in a file and at a server that accepts pushes.
    @Suite("fleet load --metrics-file and --metrics-push", .timeLimit(.minutes(1)))
    struct LoadMetricsTests {
        /// Accepts pushes, appends their texts to a file, and answers with a status.
        private static let server = """
            import http.server, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_PUT(self):
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    with open("pushed.txt", "ab") as file:
                        file.write((self.path + " " + self.headers["Content-Type"] + "\\n").encode() + body)
                    self.send_response(int(sys.argv[1]))
                    self.end_headers()
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            with open("port-" + sys.argv[1], "w") as file:
                file.write(str(server.server_port) + "\\n")
            server.serve_forever()
            """

        private static let load = [
            "load", "--rate", "100", "--warmup", "0s", "--duration", "2s", "--metrics-file", "load.prom",
        ]

        /// Runs work with the address of a server that answers each push with a status.
        private func withServer(
            answering status: Int, in lab: Lab, _ work: @escaping @Sendable (String) async throws -> Void
        ) async throws {
            try lab.write(Self.server, to: "server.py")
            @Sendable func port() -> String { (try? lab.read("port-\(status)")) ?? "" }
            _ = try await lab.run("/usr/bin/python3", ["server.py", "\(status)"]) { process in
                defer { kill(process, SIGTERM) }
                try await lab.eventually("it serves", within: .seconds(20)) {
                    port().hasSuffix("\n")
                }
                try await work("http://127.0.0.1:\(port().dropLast())/metrics/job/load")
            }
        }

        @Test(
            "file and pushes have the report's figures, a push that fails is one warning, and the load goes on"
        )
        func exported() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                try await withServer(answering: 200, in: lab) { url in
                    let ended = try await lab.succeed(Self.load + ["--metrics-push", url, "--json", "-"])
                    #expect(!ended.talk.contains("push"), "\(ended.talk)")
                    let applied = try ended.line(Report.self).applied
                    let last = try lab.read("load.prom")
                    #expect(last.contains("sensibus_load_applied_requests_total \(applied)\n"))
                    #expect(last.contains("sensibus_load_running 0\n"))
                    let pushed = try lab.read("pushed.txt")
                    let head = "/metrics/job/load text/plain; version=0.0.4; charset=utf-8\n"
                    let texts = pushed.split(separator: head).map(String.init)
                    #expect(texts.count == 2 && texts.last == last, "\(pushed)")
                    #expect(texts.first?.contains("sensibus_load_running 1\n") == true)
                    let files = try FileManager.default.contentsOfDirectory(atPath: lab.directory)
                    #expect(!files.contains { $0.hasSuffix(".new") }, "no draft is left")
                }
                try await withServer(answering: 507, in: lab) { url in
                    let ended = try await lab.succeed(Self.load + ["--metrics-push", url])
                    let warning = "cannot push metrics to \(url): status 507 Insufficient Storage"
                    #expect(ended.talk.split(separator: warning).count == 2, "\(ended.talk)")
                    #expect(ended.talk.contains("2 of 2 pushes to \(url) failed"), "\(ended.talk)")
                }
                let closed = "http://127.0.0.1:1/metrics/job/load"
                try await lab.expect(
                    0, Self.load + ["--metrics-push", closed],
                    saying: ["cannot push metrics to \(closed): connection refused; the load goes on\n"])
                try await lab.expect(69, "load", "--target", "http", saying: ["has no gateway"])
            }
        }

        /// The keys of `fleet load --json` that are read here.
        private struct Report: Decodable {
            let applied: Int
        }
    }
}
