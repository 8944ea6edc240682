extension Composer {
    /// Entries merged in through `<<`, and their place among the mapping's own.
    private struct Merge {
        let mark: Mark
        let position: Int
        let entries: [Entry]
    }

    /// Reads entries up to the end of the mapping, then adds the merged ones that its own keys leave free.
    mutating func mapping(at mark: Mark, depth: Int) throws(Halt) -> Composed {
        var entries: [Entry] = []
        var lineByKey: [String: Int] = [:]
        var merge: Merge?
        var levels = 0
        while true {
            let event = try next()
            if case .mappingEnd = event.kind { break }
            let keyNode = try node(event, depth: depth)

            if keyNode.node.kind == .scalar("<<", .plain) {
                if let merge {
                    let advice = "merge several mappings with one list, as in '<<: [*first, *second]'"
                    try report(
                        event.mark, "duplicate key '<<', first on line \(merge.mark.line)", advice: advice,
                        leavingOut: depth
                    )
                }
                let value = try node(try next(), depth: depth)
                levels = max(levels, value.levels)
                let merged = try mergeEntries(of: value.node, into: depth)
                if merge != nil { leaveOut(merged, behind: event.mark) }
                merge = merge ?? Merge(mark: event.mark, position: entries.count, entries: merged)
                continue
            }

            let key = try text(ofKey: keyNode.node, in: depth)
            var isNew = key != nil
            if let key, let line = lineByKey[key] {
                let flaw = KeyFlaw(duplicate: key, firstOnLine: line)
                try report(YAMLProblem(event.mark, flaw, isNamed: true, depthOfLoss: depth + 1))
                isNew = false
            }
            let value = try node(try next(), depth: depth)
            levels = max(levels, keyNode.levels, value.levels)
            if !isNew { leftOut += [keyNode.node, value.node] }
            // Between braces a text without a value is a key of its own.
            if key != nil, value.node.kind == .scalar("", .plain),
                let slip = keyNode.node.missingSpace
            {
                try report(YAMLProblem(event.mark, slip, isNamed: true, depthOfLoss: depth + 1))
                isNew = false
                leftOut.append(keyNode.node)
                // What was meant is there, and what it says is not known.
                let unknown = Node(kind: .scalar("", .plain), mark: event.mark)
                entries.append(Entry(key: slip.key, keyMark: event.mark, value: unknown))
            }
            if let key, isNew {
                lineByKey[key] = event.mark.line
                entries.append(Entry(key: key, keyMark: event.mark, value: value.node))
            }
        }
        if let merge {
            var taken = Set(lineByKey.keys)
            var (free, lost): ([Entry], [Entry]) = ([], [])
            for entry in merge.entries {
                if taken.insert(entry.key).inserted { free.append(entry) } else { lost.append(entry) }
            }
            leaveOut(lost, behind: merge.mark)
            entries.insert(contentsOf: free, at: merge.position)
        }
        return Composed(node: Node(kind: .mapping(entries), mark: mark), levels: levels + 1)
    }

    /// Notes what is not merged in, unless it stands elsewhere, where it is in the tree.
    private mutating func leaveOut(_ entries: [Entry], behind mark: Mark) {
        leftOut += entries.filter { $0.keyMark > mark }.map { Node(kind: .mapping([$0]), mark: $0.keyMark) }
    }

    /// The text of a key, or nil once the reason it is none has been reported.
    private mutating func text(ofKey node: Node, in depth: Int) throws(Halt) -> String? {
        guard case .scalar(let text, _) = node.kind else {
            try report(node.mark, "a key has to be text, not a list or a mapping", leavingOut: depth)
            return nil
        }
        guard !text.isEmpty, !node.isNull else {
            let advice = text.isEmpty ? "write one before the ':'" : "put it in quotes if it is intended as text"
            try report(node.mark, "a key is missing here", advice: advice, leavingOut: depth)
            return nil
        }
        return text
    }

    /// The entries that `<<` brings: of one mapping, or of each in a sequence, in order of precedence.
    private mutating func mergeEntries(of value: Node, into depth: Int) throws(Halt) -> [Entry] {
        switch value.kind {
        case .mapping(let entries):
            return entries
        case .sequence(let items):
            var merged: [Entry] = []
            for item in items {
                guard case .mapping(let entries) = item.kind else {
                    try report(item.mark, "'<<' merges mappings, but this is not one", leavingOut: depth)
                    leftOut.append(item)
                    continue
                }
                merged += entries
            }
            return merged
        case .scalar:
            let advice = "name one as in '<<: *name', or several as in '<<: [*first, *second]'"
            try report(value.mark, "'<<' merges mappings, but this is not one", advice: advice, leavingOut: depth)
            leftOut.append(value)
            return []
        }
    }
}
