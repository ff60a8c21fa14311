import DeviceLogs
import FleetProtocol
import Testing

private let device = DeviceID(fleetSeed: 1, index: 0)
private let start = ContinuousClock().now

private func state(_ number: UInt64) -> DeviceState {
    let state = ACState(isOn: !number.isMultiple(of: 2), mode: .cool, targetTemperature: 22, fanLevel: .auto)
    return DeviceState(state: state, version: Version(number + 1), incarnation: Incarnation(bits: 7))
}

/// A request that used a command number; by default the next one, at the next version.
private func entry(
    _ number: UInt64, commandNumber: UInt64? = nil, version: UInt64? = nil, epoch: UInt64 = 5,
    verdict: Verdict = .applied
) -> DeviceLog.Entry {
    let used = DeviceLog.Entry.Used(
        commandNumber: CommandNumber(commandNumber ?? number), requestID: RequestID(high: 0, low: number),
        verdict: verdict)
    return DeviceLog.Entry(
        device: device, reported: state(version ?? number), epoch: Epoch(epoch), used: used)
}

/// A request in its own second, or from one to another.
private func asked(
    _ number: UInt64, _ answer: Asked.Reply, kind: Asked.Kind = .toggle, from: Int? = nil,
    until: Int? = nil, expecting version: UInt64? = nil
) -> Asked {
    let second = Int(number) * 10
    return Asked(
        kind: kind, requestID: RequestID(high: 0, low: number), device: device,
        expected: version.map { Expectation(incarnation: Incarnation(bits: 7), version: Version($0)) },
        askedAt: start + .seconds(from ?? second), answeredAt: start + .seconds(until ?? second + 1),
        answer: answer)
}

/// A change that makes a valid value invalid, and the promise that it breaks.
struct Breach<Value>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let promise: Violation.Promise
    let commit: @Sendable (inout Value) -> Void

    init(
        _ description: String, _ promise: Violation.Promise,
        _ commit: @escaping @Sendable (inout Value) -> Void
    ) {
        (testDescription, self.promise, self.commit) = (description, promise, commit)
    }
}

extension EndToEnd {
    /// Histories that are valid except for one violation each.
    @Suite("The judge of torture runs")
    struct JudgeTests {
        /// Three successive toggles of one device, and the device's entries.
        struct RunHistory: Sendable {
            var observed: [Asked] = []
            var entries: [DeviceLog.Entry] = []
            var hasMemory = true

            init() {
                for number in 1...3 as ClosedRange<UInt64> {
                    entries.append(entry(number))
                    observed.append(asked(number, .outcome(.applied(state(number)))))
                }
            }

            var broken: Set<Violation.Promise> {
                var log = DeviceLog()
                for entry in entries { log.append(entry) }
                var judge = Judge(observed, hasMemory ? log : nil)
                return Set(judge.violations().map(\.promise))
            }
        }

        @Test(
            "the judge finds a toggle applied at another version than its client expected",
            arguments: [1, 2, 3] as [UInt64])
        func expected(version: UInt64) {
            var runHistory = RunHistory()
            runHistory.observed[1] = asked(2, runHistory.observed[1].answer, expecting: version)
            #expect(runHistory.broken == (version == 2 ? [] : [.expected]))
        }

        @Test("the judge finds nothing in a valid history")
        func innocent() {
            var runHistory = RunHistory()
            runHistory.observed.append(
                asked(2, .outcome(.applied(state(2))), kind: .repetition, from: 50, until: 51))
            runHistory.observed.append(asked(4, .cancel(.cancelled), kind: .cancel))
            runHistory.entries.append(entry(4, version: 3, verdict: .aborted))
            runHistory.observed.append(asked(5, .refused(.notFound)))
            runHistory.observed.append(asked(6, .outcome(.conflict(state(3))), expecting: 3))
            // The answer was lost; this agrees with all other answers.
            runHistory.observed.append(asked(7, .outcome(.unknown)))
            runHistory.entries.append(entry(7, version: 4))
            #expect(runHistory.broken == [])
        }

        typealias Crime = Breach<RunHistory>

        private static let crimes = [
            Crime("an acknowledged toggle is in no memory", .appliedOnce) { $0.entries.removeLast() },
            Crime("an acknowledged version is another", .appliedOnce) {
                $0.observed[2] = asked(3, .outcome(.applied(state(5))))
            },
            Crime("a toggle happened twice", .usedOnce) {
                $0.entries.append(entry(3, commandNumber: 4, version: 4))
            },
            Crime("a cancelled toggle happened", .neverApplied) {
                $0.observed[2] = asked(3, .cancel(.cancelled), kind: .cancel)
            },
            Crime("an expired toggle happened", .neverApplied) {
                $0.observed[2] = asked(3, .outcome(.expired))
            },
            Crime("a refused toggle happened", .neverApplied) {
                $0.observed[2] = asked(3, .refused(.busy(retryAfter: .zero)))
            },
            Crime("nobody asked for it", .neverApplied) { $0.observed.removeLast() },
            Crime("a repeat ends otherwise", .oneEnd) {
                $0.observed.append(asked(2, .outcome(.expired), kind: .repetition, from: 50, until: 51))
                $0.hasMemory = false
            },
            Crime("an end was forgotten", .oneEnd) {
                $0.observed.append(asked(2, .refused(.notFound), kind: .question, from: 50, until: 51))
            },
            Crime("an end is unknown again", .oneEnd) {
                $0.observed.append(asked(2, .outcome(.unknown), kind: .question, from: 50, until: 51))
            },
            Crime("it conflicts with what it named", .oneEnd) {
                $0.observed.append(asked(4, .outcome(.conflict(state(3))), expecting: 4))
            },
            Crime("a change was lost", .order) {
                $0.entries[2] = entry(3, version: 4)
                $0.observed.removeLast()
                $0.observed.append(asked(3, .outcome(.applied(state(4)))))
            },
            Crime("a command number came twice", .order) {
                $0.entries.append(entry(4, commandNumber: 3, version: 3, verdict: .aborted))
            },
            Crime("who was answered first came later", .order) {
                $0.observed[2] = asked(3, .outcome(.applied(state(3))), from: 1, until: 2)
            },
            Crime("an old controller was heard", .epochs) {
                $0.entries.append(entry(4, version: 3, epoch: 4, verdict: .aborted))
            },
        ]

        @Test("planned faults that did not occur are reported, except for a disk where there is none")
        func missed() {
            let plan = TorturePlan.small(seed: 1)
            #expect(plan.missed(plan.faults, hasDisk: true).isEmpty)
            for (fault, count) in plan.faults {
                var struck = plan.faults
                struck[fault] = count - 1
                #expect(plan.missed(struck, hasDisk: true).map(\.promise) == [.faults], "\(fault)")
                let isExcused = fault == .fullDisk
                #expect(plan.missed(struck, hasDisk: false).isEmpty == isExcused, "\(fault)")
            }
        }

        @Test("a kill of the controller without a later success is reported, and others have their time")
        func recoveries() {
            let history = History()
            func record(_ second: Int, _ answer: Asked.Reply, kind: Asked.Kind = .toggle) {
                history.append(asked(1, answer, kind: kind, from: second, until: second + 1))
            }
            let applied = Asked.Reply.outcome(.applied(state(1)))
            record(8, applied)
            record(12, applied)
            // Requests sent before the kill, repeats and refused ones do not count as new toggles.
            history.append(asked(1, applied, from: 19, until: 21))
            record(21, applied, kind: .repetition)
            record(22, .refused(.notFound))
            let kills = [(10, true), (11, false), (20, true)].map {
                Recoveries.Kill(at: start + .seconds($0.0), isAlone: $0.1)
            }
            let recoveries = Recoveries(after: kills, in: history)
            #expect(recoveries.judged == [.seconds(3)])
            #expect(recoveries.others == [.seconds(2)])
            #expect(recoveries.violations.map(\.promise) == [.recovery])
            #expect(Recoveries(after: Array(kills.dropLast()), in: history).violations.isEmpty)
        }

        @Test("page answers that contradict the final answers, or have none, are reported")
        func contradictions() {
            let runHistory = [
                asked(1, .outcome(.applied(state(1))), kind: .question),
                asked(2, .outcome(.expired), kind: .question),
                asked(3, .refused(.notFound), kind: .question),
                asked(4, .outcome(.applied(state(1)))),
            ]
            func count(_ number: UInt64, _ name: String) -> Int {
                let ends = [RequestID(high: 0, low: number): name]
                return TorturePage.contradictions(of: ends, in: runHistory).count
            }
            #expect(count(1, "applied") == 0)
            #expect([count(1, "expired"), count(2, "applied"), count(3, "applied")] == [1, 1, 1])
            #expect(count(4, "applied") == 1, "there is no final query")
        }

        @Test("a quantile of no values is nil")
        func noQuantile() {
            #expect(TortureReport.quantile(0.95, of: []) == nil)
            #expect(TortureReport.quantile(0.95, of: [.seconds(1), .seconds(2)]) == .seconds(2))
        }

        @Test("the judge finds each single violation", arguments: crimes)
        func guilty(_ crime: Crime) {
            var runHistory = RunHistory()
            crime.commit(&runHistory)
            #expect(runHistory.broken.contains(crime.promise), "\(runHistory.broken)")
        }
    }
}
