import Bus
import Glibc
import ProcessSupport
import Testing

@Suite("The priority of a thread")
struct ThreadPriorityTests {
    @Test(
        "lowering the priority of a thread does not affect the other threads of its process",
        .timeLimit(.minutes(1)))
    func isItsOwn() async throws {
        try await Loop.withThread(name: "ordinary") { ordinary in
            try await Loop.withThread(name: "gives way") { yielding in
                let before = await niceValue(on: ordinary)
                yielding.perform { ThreadPriority.giveWay() }
                #expect(await niceValue(on: yielding) == ThreadPriority.ofGivingWay)
                #expect(await niceValue(on: ordinary) == before)
            }
        }
    }

    @Test("a thread that uses the batch policy does not change other threads", .timeLimit(.minutes(1)))
    func batch() async throws {
        try await Loop.withThread(name: "usual") { usual in
            try await Loop.withThread(name: "batch") { batch in
                batch.perform { SchedulingPolicy.useBatch() }
                #expect(await isBatch(on: batch))
                #expect(await !isBatch(on: usual))
                batch.perform { SchedulingPolicy.useUsual() }
                #expect(await !isBatch(on: batch))
            }
        }
    }

    @Test("a policy that the user has chosen stays", .timeLimit(.minutes(1)))
    func chosen() async throws {
        // Of sched(7); the C library's header has it for _GNU_SOURCE only.
        let idle: Int32 = 5
        try await Loop.withThread(name: "chosen") { chosen in
            let policy = await withCheckedContinuation { continuation in
                chosen.perform {
                    var parameters = sched_param(sched_priority: 0)
                    sched_setscheduler(0, idle, &parameters)
                    SchedulingPolicy.useBatch()
                    SchedulingPolicy.useUsual()
                    continuation.resume(returning: sched_getscheduler(0))
                }
            }
            #expect(policy == idle)
        }
    }

    private func isBatch(on loop: Loop) async -> Bool {
        await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: SchedulingPolicy.isBatch(0)) }
        }
    }

    private func niceValue(on loop: Loop) async -> Int32 {
        await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: ThreadPriority.niceValue) }
        }
    }
}
