#pragma once

// Posts `count` bodies of `bytes` bytes each to `url`, so many at once, with libcurl and nothing else: no journal, no
// rules, no text to write, one thread. The handles and their connections are used again and again.
//
// Returns how many were answered with 200.
int bare_loop_post(const char *url, int count, int bytes, int at_once);
