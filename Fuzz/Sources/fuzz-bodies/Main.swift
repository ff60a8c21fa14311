import FuzzBodies
import Fuzzer

@main
enum Main {
    static func main() { Fuzzer.run(FuzzBodies.targets) }
}
