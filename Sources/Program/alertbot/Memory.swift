internal import CMalloc

/// Has memory go back to the system once it is not needed: what a storm took stays with the bot for months otherwise.
///
/// Left to itself, glibc keeps a heap for each thread, so that what one frees is of no use to another, and takes larger
/// and larger blocks from these heaps. With blocks above 128 KiB (its own first bound) mapped one by one a storm of
/// 10,000 incidents leaves half as much behind; and with three heaps, for what decides, what sends and what reads, no
/// more than with one, for which they wait in line: that took nine times as many futex calls a message.
func giveMemoryBack() {
    _ = mallopt(M_ARENA_MAX, 3)
    _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
    _ = mallopt(M_TRIM_THRESHOLD, 128 << 10)
}
