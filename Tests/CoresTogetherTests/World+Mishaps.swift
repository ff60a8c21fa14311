import ControllerCore
import DeviceCore
import FleetProtocol
import Stepping

/// What goes wrong, until it is healed.
extension World {
    func causeMishap() {
        guard !isHealed else { return }
        events.set(.mishap, at: now.monotonic.advanced(by: weather.mishapEvery))
        let index = Int.random(in: hosts.indices, using: &generator)
        let end = now.monotonic.advanced(by: .milliseconds(Int.random(in: 50...2_000, using: &generator)))
        switch Int.random(in: 0..<19, using: &generator) {
        case 0: kill(index, until: end)
        case 1: stepNodeIfAwake(index, leavingUntil: end)
        case 2: hosts[index].frozenUntil = max(hosts[index].frozenUntil, end)
        case 3: controllerFrozenUntil = max(controllerFrozenUntil, min(end, soon))
        case 4, 5: hosts[index].mutedUntil = end
        case 6, 7: hosts[index].deafenedUntil = end
        case 8: reconnect(index)
        case 9, 10: inject(.hang, at: index, until: end)
        case 11, 12: inject(.offline, at: index, until: end)
        case 13: inject(.reset, at: index, until: end)
        case 14, 15: hosts[index].diesWritingUntil = end
        default: inject(.flip, at: index, until: end)
        }
    }

    private var soon: MonotonicTime { now.monotonic.advanced(by: .milliseconds(700)) }

    func kill(_ index: Int, until end: MonotonicTime) {
        hosts[index].node = nil
        events.set(.revival(index), at: end)
    }

    private func stepNodeIfAwake(_ index: Int, leavingUntil end: MonotonicTime) {
        guard hosts[index].frozenUntil <= now.monotonic else { return }
        stepNode(index, .stopping)
        kill(index, until: end)
    }

    private func reconnect(_ index: Int) {
        guard hosts[index].frozenUntil <= now.monotonic else { return }
        hosts[index].connection = freshConnection()
        stepNode(index, .connected)
    }

    private func inject(_ fault: Fault, at index: Int, until end: MonotonicTime) {
        guard let row = hosts[index].node?.truth.randomElement(using: &generator) else { return }
        let duration = now.monotonic.duration(to: end)
        let body = ControllerMessage.Body.fault(fault, devices: [row.device], duration: duration)
        stepNode(index, .controller(ControllerMessage(epoch: Epoch(7), body: body)))
    }

    /// From now on nothing is lost, nobody asks, and everybody is there.
    func heal() {
        isHealed = true
        weather = .fair
        controllerFrozenUntil = .zero
        for index in hosts.indices {
            hosts[index].mutedUntil = .zero
            hosts[index].deafenedUntil = .zero
            hosts[index].diesWritingUntil = nil
            revive(index)
        }
    }
}
