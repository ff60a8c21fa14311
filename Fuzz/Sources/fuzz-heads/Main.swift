import FuzzHeads
import Fuzzer

@main
enum Main {
    static func main() { Fuzzer.run(FuzzHeads.targets) }
}
