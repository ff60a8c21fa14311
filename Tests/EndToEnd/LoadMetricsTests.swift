import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The metrics of `fleet load`, in a file and at a server that accepts pushes.
    @Suite("fleet load --metrics-file and --metrics-push")
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
            with open("port.txt", "w") as file:
                file.write(str(server.server_port) + "\\n")
            server.serve_forever()
            """

        private static let load = [
            "load", "--rate", "100", "--warmup", "0s", "--duration", "2s", "--metrics-file", "load.prom",
        ]

        private func text(of name: String, in lab: Lab) -> String {
            (try? String(contentsOfFile: "\(lab.directory)/\(name)", encoding: .utf8)) ?? ""
        }

        /// Runs work with the address of a server that answers each push with a status.
        private func withServer(
            answering status: Int, in lab: Lab, _ work: @escaping @Sendable (String) async throws -> Void
        ) async throws {
            try Data(Self.server.utf8).write(to: URL(filePath: "\(lab.directory)/server.py"))
            _ = try await lab.run("/usr/bin/python3", ["server.py", "\(status)"]) { process in
                defer { kill(process, SIGTERM) }
                try await lab.eventually("it serves", within: .seconds(20)) {
                    text(of: "port.txt", in: lab).hasSuffix("\n")
                }
                let port = text(of: "port.txt", in: lab).prefix { $0 != "\n" }
                try await work("http://127.0.0.1:\(port)/metrics/job/load")
            }
        }

        @Test(
            "the file and the pushes have the figures of the report at the end, and no draft is left",
            .timeLimit(.minutes(1)))
        func exported() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                try await withServer(answering: 200, in: lab) { url in
                    let ended = try await lab.fleet(
                        Self.load + ["--metrics-push", url, "--json", "load.json"])
                    #expect(ended.status == 0, "\(ended.talk)")
                    #expect(!ended.talk.contains("push"), "\(ended.talk)")
                    let report = try JSONDecoder().decode(
                        Report.self, from: Data(text(of: "load.json", in: lab).utf8))
                    let last = text(of: "load.prom", in: lab)
                    #expect(last.contains("sensibus_load_applied_requests_total \(report.applied)\n"))
                    #expect(last.contains("sensibus_load_running 0\n"))
                    let pushed = text(of: "pushed.txt", in: lab)
                    let head =
                        "/metrics/job/load text/plain; version=0.0.4; charset=utf-8\n"
                    let texts = pushed.split(separator: head).map(String.init)
                    #expect(texts.count == 2 && texts.last == last, "\(pushed)")
                    #expect(texts.first?.contains("sensibus_load_running 1\n") == true)
                    let files = try FileManager.default.contentsOfDirectory(atPath: lab.directory)
                    #expect(!files.contains { $0.hasSuffix(".new") })
                }
            }
        }

        @Test(
            "a push that fails is one warning with its reason, and the load goes on",
            .timeLimit(.minutes(1)))
        func failing() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                try await withServer(answering: 507, in: lab) { url in
                    let ended = try await lab.fleet(Self.load + ["--metrics-push", url])
                    #expect(ended.status == 0, "\(ended.talk)")
                    let warning = "cannot push metrics to \(url): status 507 Insufficient Storage"
                    #expect(ended.talk.split(separator: warning).count == 2, "\(ended.talk)")
                    #expect(ended.talk.contains("2 of 2 pushes to \(url) failed"), "\(ended.talk)")
                }
                let closed = "http://127.0.0.1:1/metrics/job/load"
                let ended = try await lab.fleet(Self.load + ["--metrics-push", closed])
                let warning = "cannot push metrics to \(closed): connection refused; the load goes on\n"
                #expect(ended.status == 0 && ended.talk.contains(warning), "\(ended.talk)")
            }
        }

        /// The keys of `fleet load --json` that are read here.
        private struct Report: Decodable {
            let applied: Int
        }
    }
}
