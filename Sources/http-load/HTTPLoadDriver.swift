import FleetProtocol
import LoadCore
import NIOCore
import NIOPosix

/// Runs loads over HTTP, as the orders of `fleet load` say: the shell around ``HTTPLoad``. All state belongs
/// to the thread of one event loop. It runs one load at a time; the connections stay open in between.
actor HTTPLoadDriver {
    /// The place of a connection in the pool, and its number among all that were opened.
    struct Place: Sendable {
        let index: Int
        let number: UInt64
    }

    private static let reportInterval: TimeAmount = .seconds(1)
    /// The time from the creation of a load to its start.
    private static let headStart: Duration = .milliseconds(100)

    private let loop: any EventLoop
    private let now: @Sendable () -> Moment
    private let idSeed: UInt64
    private var pipe: (any Channel)?
    private var gateway: Gateway?
    private var http = HTTPLoad(connections: 0, states: [])
    private var devices: [DeviceID] = []
    private var connections: [GatewayConnection?] = []
    /// The number of the present connection of each place.
    private var numbers: [UInt64] = []
    private var lastNumber: UInt64 = 0
    /// The end of the time to open the connections; nil once they are open.
    private var openingDeadline: MonotonicTime?
    private var openingProblem = HTTPLoadFailure(.unreachable, "no answer")
    private var objectives: [Objective] = []
    private var interruptions = 0
    private var nextReport: Scheduled<Void>?
    private var effects: [HTTPLoad.Effect] = []
    /// Whether standard input has ended: the event loop then ends, and accepts no timers.
    private var isOver = false
    private var isTurning = false
    private var isTurnWanted = false
    private var timer: (due: MonotonicTime, scheduled: Scheduled<Void>)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// A driver on an event loop; the random bits are for the request IDs.
    init(on loop: any EventLoop, clock: @escaping @Sendable () -> Moment, idSeed: UInt64) {
        (self.loop, now, self.idSeed) = (loop, clock, idSeed)
    }

    /// Carries out orders until standard input ends.
    func serve() async throws {
        let pipe = try await NIOPipeBootstrap(group: loop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                // Before the first order, which may have a report as its answer.
                self.assumeIsolated { $0.pipe = channel }
                try channel.pipeline.syncOperations.addHandlers(
                    ByteToMessageHandler(LineDecoder(), maximumBufferSize: HTTPLoadLine.limit),
                    OrderHandler(driver: self))
            }
        }.takingOwnershipOfDescriptors(input: 0, output: 1).get()
        try await pipe.closeFuture.get()
        isOver = true
        nextReport?.cancel()
        timer?.scheduled.cancel()
        for connection in connections { connection?.close() }
    }

    // MARK: Orders

    func received(_ line: [UInt8]) {
        do {
            switch try HTTPLoadLine.decode(HTTPLoadOrder.self, from: line) {
            case .open(let opening): try open(opening)
            case .run(let plan, let objectives): try run(plan, objectives)
            case .stop: interrupt(1)
            case .abandon: interrupt(2)
            }
        } catch {
            report(.failed(error as? HTTPLoadFailure ?? HTTPLoadFailure(.order, "\(error)")))
        }
        turn()
    }

    private func open(_ opening: HTTPLoadOpening) throws {
        gateway = try Gateway(opening, on: loop, clock: now)
        devices = opening.states.compactMap { DeviceID($0.device) }
        http = HTTPLoad(
            connections: opening.connections, states: zip(devices, opening.states).map { ($0, $1.isOn) })
        connections = Array(repeating: nil, count: opening.connections)
        numbers = Array(repeating: 0, count: opening.connections)
        openingDeadline = now().monotonic.advanced(by: HTTPLoadOpening.timeout)
    }

    private func run(_ plan: LoadResult.Plan, _ objectives: [String]) throws {
        self.objectives = try objectives.map { try Objective($0) }
        let start = now().monotonic.advanced(by: Self.headStart)
        let seed = idSeed &+ UInt64(bitPattern: start.nanoseconds)
        http.begin(
            Load(try plan.plan(), devices: devices, idSeed: seed, startingAt: start, isRepeating: false))
        if interruptions > 0 { http.stop(at: now().monotonic) }
        reportProgress()
    }

    private func interrupt(_ count: Int) {
        interruptions = max(interruptions, count)
        let now = now().monotonic
        if count == 1 { http.stop(at: now) } else { http.abandon(at: now) }
    }

    private func reportProgress() {
        guard let progress = http.progress(at: now().monotonic) else { return }
        report(.progress(progress))
        nextReport = loop.scheduleTask(in: Self.reportInterval) {
            self.assumeIsolated { $0.reportProgress() }
        }
    }

    private func report(_ report: HTTPLoadReport) {
        pipe?.writeAndFlush(ByteBuffer(bytes: HTTPLoadLine.of(report)), promise: nil)
    }

    // MARK: Turns

    /// Does what is due, now and at the time of the next work.
    private func turn() {
        guard !isOver else { return }
        isTurnWanted = true
        // An effect may end a connection, which asks for another turn.
        guard !isTurning else { return }
        isTurning = true
        while isTurnWanted {
            isTurnWanted = false
            http.turn(at: now(), into: &effects)
            for effect in effects { carryOut(effect) }
            effects.removeAll(keepingCapacity: true)
        }
        isTurning = false
        endOpening()
        if let load = http.finish(at: now().monotonic) {
            nextReport?.cancel()
            report(.measured(load.measurement(against: objectives)))
        }
        scheduleTurn()
    }

    private func carryOut(_ effect: HTTPLoad.Effect) {
        switch effect {
        case .open(let index): open(index)
        case .send(let request, let index):
            guard let gateway, let connection = connections[index] else {
                return lost(index, HTTPLoadFailure(.unreachable, "it is closed"))
            }
            let prepared = gateway.prepared(request)
            http.sent(over: index, at: now().monotonic)
            connection.send(prepared)
        case .close(let index):
            numbers[index] = 0
            connections[index]?.close()
            connections[index] = nil
        }
    }

    private func scheduleTurn() {
        let present = now().monotonic
        let due = min(http.nextDue(after: present) ?? .never, openingDeadline ?? .never)
        guard due != .never else { return }
        if let timer, timer.due <= due { return }
        timer?.scheduled.cancel()
        let wait = TimeAmount.nanoseconds(max(0, present.duration(to: due).wholeNanoseconds))
        let scheduled = loop.scheduleTask(in: wait) {
            self.assumeIsolated { driver in
                driver.timer = nil
                driver.turn()
            }
        }
        timer = (due, scheduled)
    }

    /// Reports that all connections are open, or why they are not.
    private func endOpening() {
        guard let deadline = openingDeadline, let gateway else { return }
        if http.isReady {
            openingDeadline = nil
            report(.opened)
        } else if now().monotonic >= deadline {
            openingDeadline = nil
            let problem = openingProblem
            report(
                .failed(
                    HTTPLoadFailure(
                        problem.cause, "cannot connect to \(gateway.url): \(problem.reason)")))
        }
    }

    // MARK: Connections

    private func open(_ index: Int) {
        lastNumber += 1
        let place = Place(index: index, number: lastNumber)
        numbers[index] = lastNumber
        gateway?.connect(as: place, for: self).whenFailure { error in
            self.assumeIsolated { $0.lost(place, HTTPLoadFailure(connecting: error)) }
        }
    }

    func opened(_ place: Place, _ connection: GatewayConnection) {
        guard !isOver, numbers[place.index] == place.number else { return connection.close() }
        connections[place.index] = connection
        http.opened(place.index)
        turn()
    }

    /// Records a response, whose last bytes arrived at that time; the gateway may end the connection.
    func answered(_ place: Place, with response: HTTPLoad.Response, at time: MonotonicTime, isLast: Bool) {
        guard numbers[place.index] == place.number else { return }
        http.answered(place.index, with: response, at: time)
        if isLast {
            lost(place, HTTPLoadFailure(.unreachable, "the gateway ends connections"))
        } else {
            turn()
        }
    }

    /// Records that a connection ended, or was not opened.
    func lost(_ place: Place, _ problem: HTTPLoadFailure) {
        guard numbers[place.index] == place.number else { return }
        lost(place.index, problem)
    }

    private func lost(_ index: Int, _ problem: HTTPLoadFailure) {
        numbers[index] = 0
        connections[index]?.close()
        connections[index] = nil
        openingProblem = problem
        http.closed(index, at: now().monotonic)
        turn()
    }
}

/// Hands the lines of standard input to the driver.
final class OrderHandler: ChannelInboundHandler {
    typealias InboundIn = [UInt8]

    private let driver: HTTPLoadDriver

    init(driver: HTTPLoadDriver) { self.driver = driver }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let line = unwrapInboundIn(data)
        driver.assumeIsolated { $0.received(line) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Splits bytes into lines, without their ends.
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = [UInt8]

    /// The number of bytes at the beginning of the buffer that have no line end.
    private var searched = 0

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let view = buffer.readableBytesView
        let end = view[(view.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n"))
        guard let end, let line = buffer.readBytes(length: end - view.startIndex) else {
            searched = buffer.readableBytes
            return .needMoreData
        }
        buffer.moveReaderIndex(forwardBy: 1)
        searched = 0
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }
}
