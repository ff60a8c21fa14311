import FleetProtocol
import Testing

extension EndToEnd {
    /// Figures that are valid except for one violation each.
    @Suite("The bounds of runs over several cells")
    struct ClusterFiguresTests {
        private static let start = ContinuousClock().now
        private static let plan = ClusterPlan.small(seed: 1)

        /// Figures and histories of a run that keeps all bounds.
        struct Run: Sendable {
            var figures = ClusterFigures()
            var histories: [String: [Asked]] = [:]

            init() {
                figures.steps = plan.steps
                figures.lostHosts = ["controller": 2, "node": 1, "gateway": 1]
                figures.refusedControllers = 2
                figures.firstToggles = [.seconds(3)]
                figures.fenced = [.seconds(1)]
                figures.answersOfFormer = (before: 1, after: 0)
                figures.nodesLost = [.seconds(2)]
                figures.nodesOnline = [.seconds(2)]
                figures.calm = [Self.period(0..<10)]
                figures.losses = [("c1", Self.period(10..<20))]
                figures.lossy = [Self.period(20..<30)]
                figures.added = Self.period(0..<10)
                figures.moved = [("c2", Self.period(0..<10))]
                figures.logIns = [("any", ClusterLogIns.Counts(sessions: 2, moved: 1))]
                histories["c1"] = (10..<20).map { Self.asked($0, took: .seconds(2)) }
                histories["c2"] =
                    (0..<20).map { Self.asked($0, took: .milliseconds(10)) }
                    + (20..<30).map { Self.asked($0, took: .milliseconds(90)) }
            }

            static func period(_ seconds: Range<Int>) -> ClusterFigures.Period {
                start + .seconds(seconds.lowerBound)..<start + .seconds(seconds.upperBound)
            }

            private static let toggled = DeviceState(
                state: ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto),
                version: Version(2), incarnation: Incarnation(bits: 7))

            /// A toggle that was sent in that second.
            static func asked(
                _ second: Int, took: Duration,
                _ answer: Asked.Reply = .outcome(.applied(toggled))
            ) -> Asked {
                let askedAt = start + .seconds(second) + .milliseconds(1)
                return Asked(
                    kind: .toggle, requestID: RequestID(high: 0, low: UInt64(second)),
                    device: DeviceID(fleetSeed: 1, index: 0), askedAt: askedAt, answeredAt: askedAt + took,
                    answer: answer)
            }
        }

        typealias Change = Breach<Run>

        private static let changes = [
            Change("a step was not performed", .faults) { $0.figures.steps[.nodesCut] = nil },
            Change("fewer hosts were lost", .faults) { $0.figures.lostHosts["node"] = nil },
            Change("a controller started without its volume", .faults) { $0.figures.refusedControllers = 1 },
            Change("a late first toggle", .recovery) { $0.figures.firstToggles.append(.seconds(60 * 60)) },
            Change("a controller that goes on", .recovery) { $0.figures.fenced.append(.seconds(60 * 60)) },
            Change("devices lost late", .recovery) { $0.figures.nodesLost.append(.seconds(60 * 60)) },
            Change("devices online late", .recovery) { $0.figures.nodesOnline.append(.seconds(60 * 60)) },
            Change("a node back late", .recovery) { $0.figures.nodesBack.append(.seconds(60 * 60)) },
            Change("no toggle of a moved account", .recovery) {
                $0.figures.moved.append(("c2", Run.period(40..<60 * 60)))
            },
            Change("a stale answer", .stale) { $0.figures.answersOfFormer.after = 1 },
            Change("a former controller that was never asked", .stale) {
                $0.figures.answersOfFormer.before = 0
            },
            Change("another cell slow during a loss", .isolation) { run in
                run.histories["c3"] = (10..<20).map { Run.asked($0, took: .seconds(60 * 60)) }
            },
            Change("no toggle of another cell during a loss", .isolation) {
                $0.histories["c2"]?.removeSubrange(10..<20)
            },
            Change("a request refused while a cell is added", .isolation) { run in
                run.histories["c3"] = [Run.asked(5, took: .zero, .refused(.notFound))]
            },
            Change("a request without an answer while a cell is added", .isolation) { run in
                run.histories["c3"] = [Run.asked(5, took: .zero, .nothing("no answer"))]
            },
            Change("links without delay", .recovery) { $0.histories["c2"]?.removeSubrange(20..<30) },
            Change("a right password refused", .logIns) { $0.figures.logIns[0].counts.wrong = ["c1"] },
            Change("no log-in led to another cell", .logIns) { $0.figures.logIns[0].counts.moved = 0 },
        ]

        @Test("figures within the bounds are no violation")
        func valid() {
            let run = Run()
            #expect(run.figures.violations(of: Self.plan, in: run.histories).map(\.description) == [])
        }

        @Test("each figure out of its bound is found", arguments: changes)
        func violation(change: Change) {
            var run = Run()
            change.commit(&run)
            let found = run.figures.violations(of: Self.plan, in: run.histories)
            #expect(found.map(\.promise) == [change.promise])
        }
    }
}
