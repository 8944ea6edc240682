import AlertModel
import Charts
import Glibc
import Raster
import Testing
import TimeZones

private let day = Chart(
    title: "Crash-free users, last day", values: (0..<24).map { $0 == 7 ? nil : $0 < 20 ? 0.998 : 0.97 },
    from: Moment(milliseconds: 1_795_219_200_000 - 24 * 3_600_000), isRate: true,
    limit: Chart.Line(0.99, "alert below 99%"), usual: Chart.Line(0.998, "usually 99.8%"), words: "Crash-free users")

/// Machines that only build have no libcairo; those that run the tests of pictures do.
private let raster = try? Raster()

@Suite struct `Pictures of drawings` {
    @Test(.enabled(if: raster != nil)) func `a chart becomes a small PNG, the same every time`() throws {
        let drawing = ChartDrawing(day, in: .utc, words: .english).drawing
        let png = try #require(raster).png(of: drawing)
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        // The first chunk has the size: 960 by 400.
        #expect(Array(png[16..<24]) == [0, 0, 3, 192, 0, 0, 1, 144])
        #expect((2_000..<60_000).contains(png.count), "\(png.count) bytes")
        #expect(try #require(raster).png(of: drawing) == png)
        if let path = getenv("CHART_PNG") {
            let file = fopen(path, "w")
            fwrite(png, 1, png.count, file)
            fclose(file)
        }
    }

    @Test(.enabled(if: raster != nil)) func `hostile words make no trouble`() throws {
        var chart = day
        chart.title = "\u{0}\u{202E}👨‍👩‍👧‍👦 e\u{301}\u{301} שגיאה <b>" + String(repeating: "\u{301}", count: 3000)
        chart.limit?.words = String(repeating: "例外", count: 500)
        #expect(try #require(raster).png(of: ChartDrawing(chart, in: .utc, words: .english).drawing).count > 2_000)
    }

    @Test(.enabled(if: raster != nil)) func `a drawing without a size is refused`() throws {
        for (width, height) in [(0.0, 10.0), (10, .infinity), (.nan, 10), (1e9, 1e9), (10, -1)] {
            #expect(throws: Raster.Trouble.self) {
                try #require(raster).png(of: Drawing(width: width, height: height))
            }
        }
    }

    @Test func `where the library is missing, it says which package brings it`() throws {
        let trouble = #expect(throws: Raster.Trouble.self) { try Raster(library: "libcairo-of-nobody.so.2") }
        #expect(trouble?.description == "libcairo is not installed (Debian: apt install libcairo2)")
        // A library that is there, and is another one.
        #expect(throws: Raster.Trouble.self) { try Raster(library: "libc.so.6") }
    }
}
