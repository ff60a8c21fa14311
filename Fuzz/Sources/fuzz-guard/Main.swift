import FuzzGuard
import Fuzzer

@main
enum Main {
    static func main() { Fuzzer.run(FuzzGuard.targets) }
}
