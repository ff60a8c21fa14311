import FuzzTexts
import Fuzzer

@main
enum Main {
    static func main() { Fuzzer.run(FuzzTexts.targets) }
}
