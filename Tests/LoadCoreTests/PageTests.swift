import Foundation
import FoundationXML
import Testing
import UserText

@testable import LoadCore

@Suite("HTML report of a load")
struct PageTests {
    /// Every number of an attribute of the drawn lines, in order.
    private func points(
        in page: String, ofFigure title: String, line number: Int
    ) throws -> [(x: Double, y: Double)] {
        let figure = try #require(
            page.components(separatedBy: "<figure>").first { $0.contains("<figcaption>\(title)") })
        let mark = "<polyline class=\"s\(number)\" points=\""
        let start = try #require(figure.range(of: mark))
        let text = figure[start.upperBound...].prefix { $0 != "\"" }
        return text.split(separator: " ").compactMap { pair in
            let parts = pair.split(separator: ",").compactMap { Double($0) }
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    @Test("the HTML report is well-formed and has no external resources", arguments: [[500.0], [100, 200]])
    func wellFormed(rates: [Double]) throws {
        let report = try LoadReport.sample(rates: rates, objectives: ["p99<5ms", "max<1ms"])
        let page = HTMLReport(report, comparison: LoadComparison(of: report, with: report)).text
        for mark in ["<script", "http:", "https:", "url(", "@import", " src="] {
            #expect(!page.contains(mark), "\(mark)")
        }
        #expect(page.contains("prefers-color-scheme: dark"))
        // Without the tags that HTML leaves open, the page is XML.
        let body = page.replacingOccurrences(of: "<!DOCTYPE html>\n", with: "")
            .replacingOccurrences(of: "<meta [^>]*>", with: "", options: .regularExpression)
        let parser = XMLParser(data: Data(body.utf8))
        #expect(
            parser.parse(), "line \(parser.lineNumber): \(parser.parserError?.localizedDescription ?? "")")
    }

    @Test("the HTML report has the results, the machine and missed objectives, and escapes text")
    func text() throws {
        let report = try LoadReport.sample(objectives: ["p99<5ms", "max<1ms"])
        let page = HTMLReport(report).text
        #expect(page.contains("<code>p99&lt;5ms</code>: <b class=\"met\">met</b>"))
        #expect(page.contains("<code>max&lt;1ms</code>: <b class=\"missed\">missed</b>"))
        #expect(page.contains("Some &lt;processor&gt; &amp; &quot;more&quot;, 2 cores"))
        #expect(!page.contains("Some <processor>"))
        #expect(page.contains(">\(FigureText.count(report.last.result.applied))<"))
        let p99 = FigureText.time(us: report.last.result.latencyUs.p99)
        #expect(page.contains("<td>\(p99)</td>"))
        #expect(page.contains("cancels in time") && page.contains("repeats with the same answer"))
        #expect(page.contains("<td>fleet load --slo &#x27;p99&lt;5ms&#x27;</td>"))
        #expect(page.contains("<td>1.2.3, protocol 4</td>") && page.contains("<td>1.2.4, protocol 4</td>"))
        #expect(page.contains("<td>quiet</td>"))
    }

    @Test("each axis of the HTML report has a name and a unit", arguments: [[500.0], [100, 200]])
    func axes(rates: [Double]) throws {
        let page = HTMLReport(try LoadReport.sample(rates: rates)).text
        let names =
            [
                "percentile (%)", "time since the start (s)", "latency (µs, ms, s)", "toggles/s",
            ] + (rates.count > 1 ? ["offered (toggles/s)"] : [])
        for name in names { #expect(page.contains(">\(name)</text>"), "\(name)") }
    }

    @Test("the HTML report plots rising percentiles, and a stall at its time")
    func plots() throws {
        var run = try VirtualRun(.open(perSecond: 200))
        try run.finish { message, elapsed in
            let isStalled = elapsed >= .seconds(4) && elapsed < .seconds(5)
            return .init(delay: isStalled ? .milliseconds(300) : .milliseconds(2), body: message.report())
        }
        let page = HTMLReport(LoadReport.of(run.result)).text
        let percentiles = try points(in: page, ofFigure: "Latency by percentile", line: 0)
        #expect(percentiles.count > 10)
        // Upwards on the page is a smaller y.
        #expect(zip(percentiles, percentiles.dropFirst()).allSatisfy { $0.x <= $1.x && $0.y >= $1.y })
        let longest = try points(in: page, ofFigure: "Latency over time", line: 2)
        #expect(longest.count == 10)
        let peak = try #require(longest.indices.min { longest[$0].y < longest[$1].y })
        #expect(peak == 4)
        let inside = percentiles + longest
        #expect(inside.allSatisfy { (64...706).contains($0.x) && (12...256).contains($0.y) })
    }

    @Test("a long load is drawn with few points that keep all peaks")
    func thinned() throws {
        var run = try VirtualRun(.open(perSecond: 1, duration: .seconds(3_000)))
        try run.finish { message, elapsed in
            let isPeak = elapsed >= .seconds(1_234) && elapsed < .seconds(1_235)
            return .init(delay: .milliseconds(isPeak ? 900 : 1), body: message.report())
        }
        let page = HTMLReport(LoadReport.of(run.result)).text
        let longest = try points(in: page, ofFigure: "Latency over time", line: 2)
        #expect(longest.count <= 600)
        let ys = longest.map(\.y)
        #expect(ys.min().map { $0 < 40 } == true && ys.count { $0 < 40 } == 1)
    }
}
