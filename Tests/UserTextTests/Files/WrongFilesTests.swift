import DeviceCore
import Testing
import UserFiles

@Suite("Invalid scenario files")
struct WrongFilesTests {
    /// An invalid file, the place of its first error, and a part of the message.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int?
        let path: String
        let part: String

        init(_ text: String, _ line: Int?, _ path: String, _ part: String) {
            self.text = text
            self.line = line
            self.path = path
            self.part = part
        }

        var testDescription: String { text.prefix(40).split(separator: "\n").joined(separator: " / ") }
    }

    private func failure(of text: String) -> InvalidFile? {
        #expect(throws: InvalidFile.self) {
            try ScenarioText.parse(Array(text.utf8), file: "wrong.yaml", name: "wrong")
        }
    }

    private func check(_ wrong: Wrong) throws {
        let error = try #require(failure(of: wrong.text))
        let problem = try #require(error.problems.first)
        #expect(problem.line == wrong.line, "\(error)")
        #expect(problem.path == wrong.path, "\(error)")
        #expect(problem.description.contains(wrong.part), "\(error)")
        #expect(error.description.contains(wrong.line.map { "wrong.yaml:\($0):" } ?? "wrong.yaml: "))
    }

    private static let types = [
        Wrong("", nil, "", "found nothing"),
        Wrong("# only a comment\n", nil, "", "found nothing"),
        Wrong("quiet", 1, "", "found 'quiet'; allowed: a mapping of name, about, clock"),
        Wrong("- clock", 1, "", "found a list of 1"),
        Wrong("clock:\n", 1, "clock", "found nothing; allowed: a mapping of speed, start"),
        Wrong("clock: fast", 1, "clock", "found 'fast'"),
        Wrong("clock:\n  speed: fast", 2, "clock.speed", "a number from 0.1 to 10,000"),
        Wrong("clock:\n  speed: \"600\"", 2, "clock.speed", "found '600' in quotes"),
        Wrong("clock:\n  speed: 1e3", 2, "clock.speed", "found '1e3'"),
        Wrong("clock:\n  speed: 010", 2, "clock.speed", "found '010'"),
        Wrong("clock:\n  speed: 0x10", 2, "clock.speed", "found '0x10'"),
        Wrong("clock:\n  speed: .nan", 2, "clock.speed", "found '.nan'"),
        Wrong("clock:\n  speed: .inf", 2, "clock.speed", "found '.inf'"),
        Wrong("clock:\n  speed: nan", 2, "clock.speed", "found 'nan'"),
        Wrong("clock:\n  speed: [1, 2]", 2, "clock.speed", "found a list of 2"),
        Wrong("clock:\n  speed: {a: 1}", 2, "clock.speed", "found a mapping of 1"),
        Wrong("clock:\n  start: 8", 2, "clock.start", "\"00:00\" to \"23:59\""),
        Wrong("clock:\n  start: \"8:30\"", 2, "clock.start", "found '8:30' in quotes"),
        Wrong("network:\n  mean-time-without: 5", 2, "network.mean-time-without", "such as 200ms"),
        Wrong("population: 3", 1, "population", "a list of 1 to 256 groups"),
        Wrong("population: []", 1, "population", "an empty list"),
        Wrong("population:\n  - rooms: Hall", 2, "population[0].rooms", "names of rooms"),
        Wrong(
            "people:\n  switches-per-hour: {from: 1}", 2, "people.switches-per-hour",
            "list of {from, to, rate}"),
        Wrong("about: [a]", 1, "about", "printable characters"),
        Wrong("answer: [1s, 2s]", 1, "answer", "{low, high}"),
        Wrong("herd: [\"09:00\"]", 1, "herd", "a mapping of at, part, away"),
    ]

    @Test("values of wrong types are refused with the place", arguments: types)
    func wrongTypes(wrong: Wrong) throws { try check(wrong) }

    private static let ranges = [
        Wrong("clock:\n  speed: 0", 2, "clock.speed", "found '0'"),
        Wrong("clock:\n  speed: 10001", 2, "clock.speed", "0.1 to 10,000"),
        Wrong("clock:\n  speed: -1", 2, "clock.speed", "found '-1'"),
        Wrong("clock:\n  start: \"24:00\"", 2, "clock.start", "\"23:59\""),
        Wrong("clock:\n  past: 25h", 2, "clock.past", "0s to 24h"),
        Wrong("population:\n  - filters-run: 10001h", 2, "population[0].filters-run", "10000h"),
        Wrong("population:\n  - pure-boost: normal", 2, "population[0].pure-boost", "model: pure"),
        Wrong(
            "population:\n  - {model: pure, calibration: {humidity: 1}}", 2, "population[0].calibration",
            "models with a thermometer"),
        Wrong(
            "population:\n  - schedules: [{at: 06:30, set: {power: maybe}}]", 2,
            "population[0].schedules[0].set.power", "on, off"),
        Wrong(
            "population:\n  - schedules: [{at: 06:30, set: {temperature: 40}}]", 2,
            "population[0].schedules[0].set", "mode cool allows 16 to 30 °C"),
        Wrong("clock:\n  start: \"12:60\"", 2, "clock.start", "found '12:60'"),
        Wrong("weather:\n  mean: 56", 2, "weather.mean", "-40 to 55, °C"),
        Wrong("weather:\n  swing: -1", 2, "weather.swing", "0 to 25"),
        Wrong("weather:\n  humidity: 101", 2, "weather.humidity", "percent"),
        Wrong("infrared:\n  loss: 1.5", 2, "infrared.loss", "0 to 1"),
        Wrong("infrared:\n  loss: 20%", 2, "infrared.loss", "found '20%'"),
        Wrong("people:\n  hand-remotes-per-hour: 3601", 2, "people.hand-remotes-per-hour", "3,600"),
        Wrong("network:\n  mean-time-without: 99ms", 2, "network.mean-time-without", "100ms to 24h"),
        Wrong("network:\n  mean-time-without: 25h", 2, "network.mean-time-without", "100ms to 24h"),
        Wrong("answer: 31s", 1, "answer", "0s to 30s"),
        Wrong("answer: -1s", 1, "answer", "0s to 30s"),
        Wrong("answer: {median: 0s, p99: 1s}", 1, "answer.median", "0.1ms"),
        Wrong("herd: {at: [\"09:00\"], part: 0}", 1, "herd.part", "0.001 to 1"),
        Wrong("herd: {at: []}", 1, "herd.at", "1 to 24"),
        Wrong("population:\n  - share: 0", 2, "population[0].share", "1 to 100"),
        Wrong("population:\n  - share: 1.5", 2, "population[0].share", "whole number"),
        Wrong("population:\n  - count: 1000001", 2, "population[0].count", "1,000,000"),
        Wrong("population:\n  - count: 99999999999999999999", 2, "population[0].count", "1,000,000"),
        Wrong(
            "population:\n  - climate-react: {low: 4, high: 20}", 2, "population[0].climate-react.low",
            "5 to 40"),
        Wrong("name: \"\"", 1, "name", "1 to 64"),
        Wrong("name: " + String(repeating: "x", count: 65), 1, "name", "xxx…'; allowed: 1 to 64"),
        Wrong("name: \"red\\e[31m\"", 1, "name", "found 'red\u{fffd}[31m'"),
        Wrong("name: \"a\\u202Eb\"", 1, "name", "1 to 64 printable characters; U+202E is not visible"),
        Wrong("about: " + String(repeating: "x ", count: 251), 1, "about", "1 to 500"),
    ]

    @Test("values out of range are refused with the place", arguments: ranges)
    func wrongRanges(wrong: Wrong) throws { try check(wrong) }

    private static let keys = [
        Wrong("wether:\n  mean: 20", 1, "wether", "did you mean weather?"),
        Wrong("about: x\nfrobnicate: 1", 2, "frobnicate", "found an unknown key; allowed: name, about"),
        Wrong("clock:\n  sped: 3", 2, "clock.sped", "did you mean speed?"),
        Wrong(
            "people:\n  hand-remote-per-hour: 3", 2, "people.hand-remote-per-hour", "hand-remotes-per-hour?"),
        Wrong("population:\n  - site: A\n  - modell: pure", 3, "population[1].modell", "did you mean model?"),
        Wrong("population:\n  - model: skyv3", 2, "population[0].model", "did you mean skyv2?"),
        Wrong(
            "population:\n  - site: \(String(repeating: "ü", count: 33))", 2, "population[0].site",
            "at most 64 bytes"),
        Wrong("population:\n  - remote: Toggle", 2, "population[0].remote", "discrete, toggle"),
        Wrong(
            "population:\n  - air-conditioner: windw", 2, "population[0].air-conditioner",
            "split, basic, window, fahrenheit; did you mean window?"),
        Wrong(
            "population:\n  - model: pure\n    air-conditioner: window", 3, "population[0].air-conditioner",
            "models that switch an air conditioner: skyv2, airq"),
        Wrong("answer: {mean: 3ms}", 1, "answer.mean", "low, high, median, p99"),
        Wrong("clock:\n  speed: 1\n  speed: 2", 3, "clock.speed", "the key 'speed' more than once"),
        Wrong("clock:\n  speed: 1\nclock:\n  speed: 2", 3, "clock", "each key once"),
        Wrong("? [a, b]\n: 1", 1, "", "a key that is not a word"),
        Wrong("<<: {clock: {speed: 2}}", 1, "<<", "unknown key"),
        Wrong("herd: {part: 0.5}", 1, "herd", "a herd without times"),
        Wrong(
            "nodes:\n  crashes-per-hour:\n    - {from: \"08:00\", to: \"09:00\"}", 3,
            "nodes.crashes-per-hour[0]", "a period without rate"),
    ]

    @Test("unknown, duplicate or missing keys are refused with the place", arguments: keys)
    func wrongKeys(wrong: Wrong) throws { try check(wrong) }

    private static let contradictions = [
        Wrong("population:\n  - share: 1\n    count: 2", 3, "population[0].count", "both count and share"),
        Wrong(
            "population:\n  - climate-react:\n      low: 24\n      high: 24", 4,
            "population[0].climate-react.high", "more than low, which is 24"),
        Wrong(
            "population:\n  - climate-react: {low: 20}", 2, "population[0].climate-react", "both low and high"
        ),
        Wrong(
            "population:\n  - model: elements\n    climate-react: {low: 20, high: 22}", 3,
            "population[0].climate-react", "Climate React on a elements"),
        Wrong("population:\n  - rooms: [A, B, A]", 2, "population[0].rooms[2]", "'A' again"),
        Wrong("answer: {low: 3s, high: 2s}", 1, "answer.high", "3s or more"),
        Wrong("answer: {median: 3s, p99: 2s}", 1, "answer.p99", "3s or more"),
        Wrong("answer: {low: 3s, p99: 4s}", 1, "answer", "{low, high}, or {median, p99}"),
        Wrong(
            "people:\n  switches-per-hour:\n    - {from: \"08:00\", to: \"10:00\", rate: 1}\n"
                + "    - {from: \"09:00\", to: \"11:00\", rate: 1}", 4, "people.switches-per-hour[1]",
            "overlaps 08:00 to 10:00"),
        Wrong(
            "people:\n  switches-per-hour:\n    - {from: \"22:00\", to: \"06:00\", rate: 1}\n"
                + "    - {from: \"05:00\", to: \"07:00\", rate: 1}", 4, "people.switches-per-hour[1]",
            "overlaps 22:00 to 06:00"),
        Wrong(
            "people:\n  switches-per-hour:\n    - {from: \"08:00\", to: \"08:00\", rate: 1}", 3,
            "people.switches-per-hour[0]", "two different times"),
        Wrong("hangs:\n  per-hour: 60\n  lasting: 1m", 3, "hangs.lasting", "less than an hour in total"),
        Wrong("reboots:\n  per-hour: 200", 2, "reboots", "20s each time, 200 times an hour"),
        Wrong(
            "network:\n  drops-per-hour: 4\n  mean-time-without: 15m", 3, "network.mean-time-without", "15m"),
        Wrong(
            "clock:\n  speed: 600\npeople:\n  hand-remotes-per-hour: 61", 4, "people.hand-remotes-per-hour",
            "at that speed at most 60 an hour"),
        Wrong("herd: {at: [\"09:00\", \"09:10\"], away: 10m}", 1, "herd.away", "less than the time to"),
        Wrong("herd: {at: [\"09:00\", \"09:00\"]}", 1, "herd", "less than the time to"),
    ]

    @Test("contradictory values are refused with the place", arguments: contradictions)
    func contradictory(wrong: Wrong) throws { try check(wrong) }

    private static let cloud = [
        Wrong("cloud: {fault: slow}", 1, "cloud", "a list of 1 to 16 faults"),
        Wrong("cloud:\n  - share: 0.5", 2, "cloud[0]", "found no fault; allowed: fault: one of slow, hang"),
        Wrong("cloud:\n  - fault: slwo", 2, "cloud[0].fault", "allowed: slow, hang"),
        Wrong("cloud:\n  - {fault: slow, by: 31s}", 2, "cloud[0].by", "1ms to 30s"),
        Wrong("cloud:\n  - {fault: lag, by: 61m}", 2, "cloud[0].by", "1ms to 1h"),
        Wrong("cloud:\n  - {fault: error, by: 1s}", 2, "cloud[0].by", "this key only in slow, lag"),
        Wrong("cloud:\n  - {fault: error, status: 404}", 2, "cloud[0].status", "401, 403, 429, 500, 502"),
        Wrong("cloud:\n  - {fault: hang, status: 500}", 2, "cloud[0].status", "this key only in error"),
        Wrong(
            "cloud:\n  - {fault: error, share: 0}", 2, "cloud[0].share",
            "0.001 to 1, the fraction of requests"),
        Wrong(
            "cloud:\n  - {fault: limit, share: 0.5}", 2, "cloud[0].share", "a key that limit does not have"),
        Wrong("cloud:\n  - {fault: slow, requests: gets}", 2, "cloud[0].requests", "all, reads, writes"),
        Wrong(
            "cloud:\n  - {fault: failed, requests: reads}", 2, "cloud[0].requests", "this key only in slow"),
        Wrong("cloud:\n  - {fault: bad-pod, nulled: rom}", 2, "cloud[0].nulled", "did you mean room?"),
        Wrong(
            "cloud:\n  - {fault: bad-pod, nulled: room, missing: timer}", 2, "cloud[0].missing",
            "one key for each fault"),
        Wrong("cloud:\n  - {fault: bad-pod, pods: Hall}", 2, "cloud[0].pods", "1 to 8 names of pods"),
        Wrong("cloud:\n  - {fault: hang, from: \"08:00\"}", 2, "cloud[0]", "without to"),
        Wrong(
            "cloud:\n  - {fault: hang, from: \"08:00\", to: \"08:00\"}", 2, "cloud[0]", "two different times"),
        Wrong("cloud:\n  - {fault: hang, when: noon}", 2, "cloud[0].when", "an unknown key"),
    ]

    @Test("invalid cloud faults are refused with the place", arguments: cloud)
    func wrongClouds(wrong: Wrong) throws { try check(wrong) }

    private static let yaml = [
        Wrong("clock: {speed: 1", 2, "", "invalid YAML"),
        Wrong("clock:\n\tspeed: 1", 2, "", "invalid YAML"),
        Wrong("about: x\n\n\"", 3, "", "invalid YAML"),
        Wrong("about: x\n---\nabout: y", 2, "", "another document"),
        Wrong("about: x\nname: \u{1}", 2, "", "printable characters"),
        Wrong("clock: &a\n  speed: 1", 1, "clock", "an anchor (&)"),
        Wrong("clock: &a {speed: 1}\nweather: *a", 1, "clock", "anchors are not supported"),
        Wrong("clock: *a", 1, "clock", "an alias (*)"),
        Wrong("population: [{? [a, b] : c, site: A}]", 1, "population[0]", "a key that is not a word"),
        Wrong("%YAML 3.1\n---\nabout: x", 1, "", "incompatible YAML document"),
        Wrong("about: *\nname: x", 1, "", "invalid YAML"),
        Wrong("name: !!int 5", 1, "name", "the tag 'tag:yaml.org,2002:int'"),
        Wrong("name: !secret 5", 1, "name", "the tag '!secret'"),
        Wrong("clock: !!omap {speed: 1}", 1, "clock", "tags are not supported"),
        Wrong(
            "clock: \(String(repeating: "[", count: 9))1\(String(repeating: "]", count: 9))", 1, "", "deep"),
    ]

    @Test("YAML features beyond plain YAML are refused with the place", arguments: yaml)
    func notPlain(wrong: Wrong) throws {
        let error = try #require(failure(of: wrong.text))
        let problem = try #require(error.problems.first)
        #expect(problem.line == wrong.line, "\(error)")
        #expect(problem.description.contains(wrong.part), "\(error)")
    }

    @Test("all errors of a file are listed in the order of lines, at most 20")
    func many() throws {
        let few = try #require(failure(of: "hangs:\n  lasting: 1\nclock:\n  speed: 0\n  start: x\nnmae: y"))
        #expect(few.problems.map(\.line) == [2, 4, 5, 6])
        #expect(few.omitted == 0)
        let rooms = (0..<30).map { _ in "\"\"" }.joined(separator: ", ")
        let many = try #require(failure(of: "population:\n  - rooms: [\(rooms)]"))
        #expect(many.problems.count == FileLimits.problems)
        #expect(many.omitted == 10)
        #expect(many.description.hasPrefix("30 problems, first 20 shown:\nwrong.yaml:2:"))
    }

    @Test("an error is one line with the place, the value and the allowed values")
    func message() throws {
        let error = try #require(failure(of: "about: x\nclock:\n  speed: fast"))
        #expect(
            error.description == "wrong.yaml:3:10: clock.speed: found 'fast'; "
                + "allowed: a number from 0.1 to 10,000, simulated seconds in a real one")
    }
}
