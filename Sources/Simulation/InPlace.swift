/// Asks a value where it stands: who only reads what a class holds gets a copy of it, and these are large.
func inPlace<Value, Answer>(_ value: inout Value, _ question: (inout Value) -> Answer) -> Answer {
    question(&value)
}
