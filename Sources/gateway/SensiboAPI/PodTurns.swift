import FleetProtocol
import Synchronization

/// Queues changes of one pod in arrival order, and bounds how many are in flight at a time. The controller
/// refuses requests when the lane of a device is full, and a client waits a second before it retries. Without
/// this queue, many writers to one pod would wait most of the time.
final class PodTurns: Sendable {
    /// Most changes of one pod in flight; the rest of the lane is left for the page and `fleet`.
    static let atOnce = Limits.laneRequests - 4

    private struct Waiter {
        let number: UInt64
        let waiting: CheckedContinuation<Bool, Never>
    }

    private struct Line {
        var onTheirWay = 0
        var waiters: [Waiter] = []
    }

    private struct State {
        /// The queues of pods with changes in flight.
        var lines: [DeviceID: Line] = [:]
        var lastNumber: UInt64 = 0

        /// Begins a turn, if one is free.
        mutating func begin(_ device: DeviceID) -> Bool {
            guard lines[device, default: Line()].onTheirWay < PodTurns.atOnce else { return false }
            lines[device, default: Line()].onTheirWay += 1
            return true
        }
    }

    private let state = Mutex(State())

    func waiting(for device: DeviceID) -> Int { state.withLock { $0.lines[device]?.waiters.count ?? 0 } }

    /// Begins a turn, which ends with ``leave(_:)``; returns false if none is free.
    func begin(_ device: DeviceID) -> Bool { state.withLock { $0.begin(device) } }

    /// Waits for a turn, which ends with ``leave(_:)``; returns whether it came within that time.
    func acquire(of device: DeviceID, within timeout: Duration) async -> Bool {
        if !Task.isCancelled, begin(device) { return true }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let alarm = Task {
            try? await World.sleep(timeout)
            giveUp(number, of: device)
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { enter(Waiter(number: number, waiting: $0), of: device) }
        } onCancel: {
            giveUp(number, of: device)
        }
    }

    /// Ends a turn, and gives it to the next waiter.
    func leave(_ device: DeviceID) {
        let next = state.withLock { state -> Waiter? in
            guard var line = state.lines[device] else { return nil }
            let next = line.waiters.isEmpty ? nil : line.waiters.removeFirst()
            if next == nil { line.onTheirWay -= 1 }
            state.lines[device] = line.onTheirWay == 0 ? nil : line
            return next
        }
        next?.waiting.resume(returning: true)
    }

    /// Gives a waiter a turn, or the last place in the queue; a cancelled waiter gets neither.
    private func enter(_ waiter: Waiter, of device: DeviceID) {
        let turn = state.withLock { state -> Bool? in
            if Task.isCancelled { return false }
            if state.begin(device) { return true }
            state.lines[device, default: Line()].waiters.append(waiter)
            return nil
        }
        if let turn { waiter.waiting.resume(returning: turn) }
    }

    private func giveUp(_ number: UInt64, of device: DeviceID) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.lines[device]?.waiters.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            return state.lines[device]?.waiters.remove(at: place)
        }
        waiter?.waiting.resume(returning: false)
    }
}
