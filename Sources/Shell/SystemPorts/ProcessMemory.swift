internal import CMalloc
internal import Glibc

/// What this process takes of the machine's memory, as the system counts it.
public enum ProcessMemory {
    /// Has memory go back to the system once it is not needed: what a storm took stays with the bot for months otherwise.
    ///
    /// Left to itself, glibc keeps a heap for each thread, so that what one frees is of no use to another, and takes
    /// larger and larger blocks from these heaps. With blocks above 128 KiB (its own first bound) mapped one by one a
    /// storm of 10,000 incidents leaves half as much behind; and with six heaps no more than with one, for which
    /// threads wait in line. Whoever decides, sends and reads has one then, whichever threads began before: with three,
    /// two of them had the same one by chance in most runs, and a message took three futex calls instead of half of one.
    public static func giveBackWhatIsFreed() {
        _ = mallopt(M_ARENA_MAX, 6)
        _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
        _ = mallopt(M_TRIM_THRESHOLD, 128 << 10)
    }

    /// Keeps code that has run and is over from counting as the bot's memory: soon after the start, and then once an
    /// hour, until it is cancelled. It sleeps without a port: nothing that the bot does depends on when.
    public static func keepGivingCodeBack() async {
        var pause = Duration.seconds(10)
        while (try? await Task.sleep(for: pause)) != nil {
            giveCodeBack()
            pause = .seconds(3600)
        }
    }

    /// Lets go of the pages of the program and its libraries that nobody writes to: code and constants. What is used again
    /// comes with a page fault from the system's cache of files (some milliseconds altogether); what only a start, a
    /// reload or a page of the web ran does not come back. A resting bot took 31 MiB, and takes 17.
    static func giveCodeBack() {
        _ = cmalloc_each_object(
            { object, _, _ in
                guard let object = object?.pointee, let segments = object.segments else { return 0 }
                let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
                for segment in UnsafeBufferPointer(start: segments, count: Int(object.segments_count))
                where segment.p_type == UInt32(PT_LOAD) && segment.p_flags & UInt32(PF_W) == 0 {
                    let start = UInt(object.address) + UInt(segment.p_vaddr)
                    // Whole pages only: on the first and the last there may be a neighbour that is written to.
                    let first = (start / page + 1) * page
                    let end = (start + UInt(segment.p_memsz)) / page * page
                    guard first < end else { continue }
                    // Where the system refuses, as for pages that are locked, they stay.
                    _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_DONTNEED)
                }
                return 0
            }, nil)
    }
}
