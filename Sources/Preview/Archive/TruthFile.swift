internal import PluginKit
public import Preview
public import SystemPorts

/// What really happened, from the file that `--incidents` names.
public struct TruthFile: Sendable {
    /// Nil where no file is named.
    public let incidents: [TrueIncident]?
    /// Whether every line could be read.
    public let isWhole: Bool

    /// Ten thousand incidents have their place in it, more than anybody remembers.
    private static let bytesMax = 1 << 20

    /// - Parameter terminal: where is said what is wrong with lines.
    public init(_ path: String?, on terminal: Terminal) throws(Failure) {
        guard let path else {
            incidents = nil
            isWhole = true
            return
        }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.read(path, bytesMax: TruthFile.bytesMax)
        } catch {
            throw Failure(.impossible, "the incidents file \(path) cannot be read: \(error.reason)")
        }
        let (incidents, complaints) = TrueIncident.read(bytes, file: path)
        for complaint in complaints { terminal.error(complaint.description) }
        self.incidents = incidents
        isWhole = complaints.isEmpty
    }
}
