import FuzzMemory
import Fuzzer

@main
enum Main {
    static func main() { Fuzzer.run(FuzzMemory.targets) }
}
