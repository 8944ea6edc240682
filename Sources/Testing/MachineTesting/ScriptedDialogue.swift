internal import Synchronization
public import SystemPorts

/// Somebody who answers what a test says, and then no more.
public final class ScriptedDialogue: Dialogue {
    private struct Script {
        var answers: [String]
        var hidden: [String] = []
    }

    private let script: Mutex<Script>

    public init(_ answers: [String]) { script = Mutex(Script(answers: answers)) }

    /// What was answered unseen.
    public var hidden: [String] { script.withLock { $0.hidden } }
    /// What nobody has asked for.
    public var left: [String] { script.withLock { $0.answers } }

    public func answer(isHidden: Bool) throws(Failure) -> String? {
        script.withLock { script in
            guard !script.answers.isEmpty else { return nil }
            let answer = script.answers.removeFirst()
            if isHidden { script.hidden.append(answer) }
            return answer
        }
    }
}
