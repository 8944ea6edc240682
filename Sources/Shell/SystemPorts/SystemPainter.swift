internal import Charts
public import PluginKit
internal import Raster
public import Runtime
internal import Synchronization

/// Pictures by libcairo, which is loaded with the first; where it is missing, it is looked for again with the next.
public final class SystemPainter: Painter {
    private let library: String
    private let loaded = Mutex<Raster?>(nil)

    /// - Parameter library: what it is called on this machine.
    public init(library: String = "libcairo.so.2") { self.library = library }

    public func image(of chart: Chart, in zone: Zone, words: Words) throws(PaintTrouble) -> ChartImage {
        let drawing = ChartDrawing(chart, in: zone, words: words).drawing
        do throws(Raster.Trouble) {
            let bytes = try raster().png(of: drawing)
            return ChartImage(
                bytes: bytes, width: Int(drawing.width) * Raster.scale, height: Int(drawing.height) * Raster.scale,
                words: chart.words)
        } catch {
            throw PaintTrouble(error.description)
        }
    }

    private func raster() throws(Raster.Trouble) -> Raster {
        try loaded.withLock { loaded throws(Raster.Trouble) in
            if let loaded { return loaded }
            let raster = try Raster(library: library)
            loaded = raster
            return raster
        }
    }
}
