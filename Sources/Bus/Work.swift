/// One thing to do on a loop's thread.
enum Work: Sendable {
    /// A piece of a task, to be run exactly once.
    case job(UnownedJob)
    /// A closure given to `perform`.
    case closure(@Sendable () -> Void)

    /// Done before; it holds a place and keeps nothing alive.
    case done

    /// Does it, as a part of what the executor isolates.
    func run(on executor: UnownedSerialExecutor) {
        switch self {
        case .job(let job): job.runSynchronously(on: executor)
        case .closure(let closure): closure()
        case .done: preconditionFailure("work is done once")
        }
    }
}
