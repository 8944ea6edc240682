internal import Testing

@testable import Runtime

@Suite struct AskersTests {
    @Test func `whoever asks hears one answer, by a number that nobody else gets`() async {
        var askers = Askers()
        var numbers: [Int] = []
        for text in ["first", "second"] {
            let reply: CommandReply = await withCheckedContinuation { asker in
                let number = askers.add(asker)
                askers.answer(number + 1, .stopping)
                askers.answer(number, .unsafe(text))
                // Nobody waits for it any more; another would trap.
                askers.answer(number, .stopping)
                numbers.append(number)
            }
            guard case .unsafe(let heard) = reply else {
                Issue.record("the \(text) asker heard \(reply)")
                continue
            }
            #expect(heard == text)
        }
        #expect(Set(numbers).count == 2)
    }
}
