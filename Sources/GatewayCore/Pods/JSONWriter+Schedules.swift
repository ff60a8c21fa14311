import FleetProtocol
import Stepping

extension JSONWriter {
    /// A pod's schedules, in the order in which they were added.
    mutating func schedules(of pod: Pod, _ now: WallTime) {
        array { json in
            for schedule in pod.settings?.schedules ?? [] { json.schedule(schedule, of: pod, now) }
        }
    }

    /// One of them; its state is whole: what it does not set is as the device has it now.
    mutating func schedule(_ schedule: DeviceSchedule, of pod: Pod, _ now: WallTime) {
        let state = pod.state.applying(schedule.plan.change)
        object { json in
            json.member("id", schedule.id.description)
            json.member("isEnabled", schedule.isEnabled)
            json.member("name", nil)
            json.key("acState")
            json.acState(state, by: pod.capabilities) { json in
                json.object("extra") { $0.object("scheduler") { $0.scheduler(state) } }
            }
            json.member("createTime", naive: schedule.createdAt)
            json.member("createTimeSecondsAgo", schedule.createdAt.seconds(to: now))
            json.array("recurringDays") { json in
                for day in schedule.plan.weekdays.days { json.string(day.name.capitalizedFirst) }
            }
            json.member("targetTimeLocal", schedule.plan.time.description)
            json.member("timezone", schedule.plan.zone.text)
            json.key("podUid")
            json.plain { pod.device.append(to: &$0) }
            json.member("nextTime", naive: schedule.due)
            json.member("nextTimeSecondsFromNow", now.seconds(to: schedule.due))
        }
    }

    private mutating func scheduler(_ state: ACState) {
        member("climate_react", nil)
        member("motion", nil)
        member("on", state.isOn)
        member("climate_react_settings", nil)
        member("pure_boost", nil)
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
