internal import CMalloc

/// Has memory go back to the system once it is not needed: what a storm took stays with the bot for months otherwise.
///
/// Left to itself, glibc keeps a heap for each thread, so that what one frees is of no use to another, and takes larger
/// and larger blocks from these heaps. With blocks above 128 KiB (its own first bound) mapped one by one a storm of
/// 10,000 incidents leaves half as much behind; and with six heaps no more than with one, for which threads wait in
/// line. Whoever decides, sends and reads has one then, whichever threads began before: with three, two of them
/// had the same one by chance in most runs, and a message took three futex calls instead of half of one.
func giveMemoryBack() {
    _ = mallopt(M_ARENA_MAX, 6)
    _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
    _ = mallopt(M_TRIM_THRESHOLD, 128 << 10)
}
