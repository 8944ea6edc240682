extension RandomAccessCollection where Index == Int {
    /// Where those begin for which it is so, of a list in which they all stand behind the others.
    package func partitioningIndex(where isSo: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isSo(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
