internal import PluginKit

/// Families of figures in Prometheus's text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricsText {
    private(set) var text = ""

    enum Kind: String { case gauge, counter, histogram }

    struct Sample {
        let labels: KeyValuePairs<String, String>
        let value: Double

        init(_ labels: KeyValuePairs<String, String>, _ value: Double) {
            self.labels = labels
            self.value = value
        }

        init(_ labels: KeyValuePairs<String, String>, _ value: Int) { self.init(labels, Double(value)) }
    }

    /// One that has no samples is left out.
    mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        head(name, kind, help)
        for sample in samples { put(name, Array(sample.labels), sample.value) }
    }

    mutating func histogram(
        _ name: String, _ help: String, _ histograms: [(labels: KeyValuePairs<String, String>, Histogram)]
    ) {
        guard !histograms.isEmpty else { return }
        head(name, .histogram, help)
        for (labels, histogram) in histograms {
            let labels = Array(labels)
            for (bound, count) in histogram.cumulative {
                put("\(name)_bucket", labels + [("le", JSON(bound).text)], Double(count))
            }
            put("\(name)_bucket", labels + [("le", "+Inf")], Double(histogram.total))
            put("\(name)_sum", labels, histogram.sum)
            put("\(name)_count", labels, Double(histogram.total))
        }
    }

    private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func put(_ name: String, _ labels: [(key: String, value: String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{"
            for (index, label) in labels.enumerated() {
                if index > 0 { text += "," }
                text += "\(label.key)=\"\(MetricsText.escaped(label.value))\""
            }
            text += "}"
        }
        text += " \(JSON(value).text)\n"
    }

    /// The name of a source is whatever a config says.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}

extension MetricsText {
    /// By the names that Prometheus's own clients use.
    mutating func put(_ process: MetricsReport.ProcessFigures) {
        family(
            "process_cpu_seconds_total", .counter, "CPU time spent, in seconds.",
            [.init([:], process.cpuSeconds)])
        family(
            "process_resident_memory_bytes", .gauge, "Memory in use.", [.init([:], process.residentBytes)])
        family("process_open_fds", .gauge, "Open files and connections.", [.init([:], process.openFiles)])
        if let most = process.openFilesMax {
            family("process_max_fds", .gauge, "The limit of open files and connections.", [.init([:], most)])
        }
        family(
            "process_start_time_seconds", .gauge, "Unix time at which the process started.",
            [.init([:], process.startSeconds)])
    }
}
