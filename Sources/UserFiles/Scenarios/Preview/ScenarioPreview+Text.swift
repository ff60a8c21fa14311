import DeviceCore
import FleetProtocol
import UserText

extension ScenarioPreview {
    public var lines: [String] {
        let parts = [facts, population.lines, rates, load, isSameAllDay ? [] : day.lines]
        return Array(parts.filter { !$0.isEmpty }.joined(separator: [""]))
    }

    private var isSameAllDay: Bool {
        events.allSatisfy(\.rate.isConstant) && scenario.weather.swingKelvin == 0
    }

    private var facts: [String] {
        let clock = scenario.clock
        let day = DurationText.text(.milliseconds(Int64(clock.secondsPerDay * 1_000)))
        let speed = clock.speed == 1 ? "the real speed" : "\(NumberText.of(clock.speed)) times the real speed"
        let facts: [(String, String)] = [
            ("scenario", scenario.name), ("about", scenario.about),
            ("clock", "\(speed), from \(clock.start); a simulated day takes \(day)"),
            ("weather", weather), ("answer", Self.text(for: scenario.answer)), ("infrared", infrared),
            (
                "network",
                troubles(
                    scenario.network.drops, "without Wi-Fi for a mean of", scenario.network.meanTimeWithout)
            ),
            ("hangs", troubles(scenario.hangs.rate, "silent for", scenario.hangs.lasting)),
            ("reboots", reboots), ("nodes", nodes), ("herd", herd),
        ]
        let cloud = scenario.cloud.map { ("cloud", Self.text(for: $0)) }
        return (facts + cloud).filter { !$0.1.isEmpty }.map { DisplayWidth.fitted($0.0, to: 10) + $0.1 }
    }

    private static func text(for part: CloudDay.Part) -> String {
        part.fault.text + (part.isAllDay ? "" : ", from \(time(part.from)) to \(time(part.to))")
    }

    private static func time(_ second: UInt32) -> String {
        Scenario.TimeOfDay(secondOfDay: Int(second)).description
    }

    private var weather: String {
        let weather = scenario.weather
        let humidity = "humidity \(NumberText.of(weather.humidityPercent)) %"
        guard weather.swingKelvin > 0 else { return "\(NumberText.of(weather.meanCelsius)) °C, \(humidity)" }
        let low = NumberText.of(weather.meanCelsius - weather.swingKelvin)
        let high = NumberText.of(weather.meanCelsius + weather.swingKelvin)
        return "\(low) to \(high) °C, hottest at \(weather.hottest), \(humidity)"
    }

    private static func text(for answer: Scenario.Latency) -> String {
        switch answer {
        case .fixed(.zero): "at once"
        case .fixed(let duration): "after \(DurationText.text(duration))"
        case .uniform(let low, let high): "after \(DurationText.text(low)) to \(DurationText.text(high))"
        case .logNormal(let median, let p99):
            "after \(DurationText.text(median)) at the median, \(DurationText.text(p99)) at p99"
        }
    }

    private var infrared: String {
        let loss = scenario.infrared.loss
        return loss == 0 ? "" : "\(FigureText.decimal(loss * 100, places: 1)) % of signals are lost"
    }

    private func troubles(_ rate: Scenario.Rate, _ word: String, _ duration: Duration) -> String {
        guard !rate.isNever else { return "" }
        let real = FigureText.time(us: scenario.realSeconds(duration) * 1e6)
        return "each time \(word) \(DurationText.text(duration))"
            + (scenario.clock.speed == 1 ? "" : ", \(real) of real time")
    }

    private var reboots: String {
        let text = troubles(scenario.reboots.rate, "away for", scenario.reboots.lasting)
        let loss = scenario.reboots.memoryLoss
        guard !text.isEmpty, loss > 0 else { return text }
        return text + "; \(FigureText.decimal(loss * 100, places: 1)) % of them lose their memory"
    }

    private var nodes: String {
        let mean = scenario.nodes.crashes.meanPerHour
        return mean == 0 ? "" : "each crashes \(Self.figure(mean)) times an hour"
    }

    private var herd: String {
        guard let herd = scenario.herd else { return "" }
        let times = herd.times.map(\.description).joined(separator: ", ")
        let part = FigureText.decimal(herd.part * 100, places: 1)
        return "\(part) % of all devices disconnect at \(times), for \(DurationText.text(herd.lasting))"
    }

    private var population: TextTable {
        var table = TextTable([
            ("SITE", .left), ("ROOM", .left), ("MODEL", .left), ("REMOTE", .left),
            ("AIR CONDITIONER", .left), ("CLIMATE REACT", .left), ("DEVICES", .right),
        ])
        for (group, room, count) in rooms {
            let range = group.climateReact.map {
                "\(NumberText.of($0.lowCelsius)) to \(NumberText.of($0.highCelsius)) °C"
            }
            table.add([
                group.site, room ?? "", group.model.rawValue, group.remote.rawValue,
                group.model.switchesAirConditioner ? group.airConditioner.rawValue : "", range ?? "",
                FigureText.count(count),
            ])
        }
        return table
    }

    private var rates: [String] {
        guard events.contains(where: { !$0.rate.isNever }) else { return ["no events"] }
        var table = TextTable([
            ("THE WHOLE FLEET", .left), ("A SIMULATED HOUR", .right), ("A REAL HOUR", .right),
        ])
        for event in events where !event.rate.isNever {
            let mean = perHour(event)
            table.add([event.text, Self.figure(mean), Self.figure(mean * scenario.clock.speed)])
        }
        return table.lines
    }

    private var load: [String] {
        let models = models.map { "\(FigureText.count($0.devices)) \($0.model.rawValue)" }
        return [
            "\(FigureText.count(devices)) in all: " + models.joined(separator: ", "),
            "\(FigureText.rate(reportsPerSecond)) reports, one of each device every 90 simulated seconds",
            "\(FigureText.rate(changesPerSecond)) changes, which observers receive",
        ]
    }

    private var day: TextTable {
        let shown = events.filter { !$0.rate.isConstant }
        var table = TextTable(
            [("HOUR", .left), ("°C", .right)] + shown.map { ($0.text.uppercased(), .right) })
        for hour in 0..<24 {
            let time = Scenario.TimeOfDay(secondOfDay: hour * 3_600)
            let celsius = FigureText.decimal(scenario.weather.celsius(at: time), places: 1)
            table.add([time.description, celsius] + shown.map { Self.figure(perHour($0, inHour: hour)) })
        }
        return table
    }

    /// Returns a number with about three digits.
    private static func figure(_ number: Double) -> String {
        switch number {
        case 0: "0"
        case ..<9.995: FigureText.decimal(number, places: 2)
        case ..<99.95: FigureText.decimal(number, places: 1)
        default: FigureText.count(Int(number.rounded()))
        }
    }
}
