// The whole of libcurl that we see. Only Transport imports it.
//
// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, and Swift cannot call variadic C functions.
// Each wrapper below fixes one type of argument, so that the compiler checks what the option takes. The names stand in
// parentheses because curl.h also defines macros of those names, which only help C compilers.
#pragma once
#include <curl/curl.h>

// Numbers and switches. `long` is a must: libcurl reads a whole long from the argument list, an int would not fill it.
static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}

// Strings. libcurl copies them before it returns.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

// Contexts of callbacks. libcurl keeps the pointer and hands it back.
static inline CURLcode ccurl_set_context(CURL *easy, CURLoption option, void *context) {
    return (curl_easy_setopt)(easy, option, context);
}

// Header lists. libcurl keeps the pointer: the list must outlive the transfer.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return (curl_easy_setopt)(easy, option, list);
}

// Sizes that may pass two gigabytes. curl_off_t is another type than long on some systems.
static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}

// Bytes of a body; libcurl copies as many of them as CURLOPT_POSTFIELDSIZE_LARGE, set before, says.
static inline CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *bytes) {
    return (curl_easy_setopt)(easy, option, bytes);
}

// Callbacks that move bytes: bodies and headers in, the body out. All three have this one shape.
typedef size_t (*ccurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_bytes_callback(CURL *easy, CURLoption option, ccurl_bytes_callback callback) {
    return (curl_easy_setopt)(easy, option, callback);
}

// The callback between "connected" and "sending"; its option has no other user.
static inline CURLcode ccurl_set_prereq_callback(CURL *easy, curl_prereq_callback callback) {
    return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, callback);
}

// The callback that opens sockets, or refuses to; its option has no other user.
static inline CURLcode ccurl_set_opensocket_callback(CURL *easy, curl_opensocket_callback callback) {
    return (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

// That one refused recipient does not cost the others their mail. The option lost an L of its name in 8.2; the old one
// lives on as a macro, which Swift cannot see.
static inline CURLcode ccurl_allow_refused_recipients(CURL *easy) {
    return (curl_easy_setopt)(easy, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
}

// The callback that hears what is said on both sides; its option has no other user.
static inline CURLcode ccurl_set_debug_callback(CURL *easy, curl_debug_callback callback) {
    return (curl_easy_setopt)(easy, CURLOPT_DEBUGFUNCTION, callback);
}

// Facts that are numbers; 0 when the fact is not known.
static inline long ccurl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}

// Facts that are sizes; 0 when the fact is not known.
static inline curl_off_t ccurl_get_size(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : 0;
}

// Facts that are strings; NULL when the fact is not known. The string belongs to the handle.
static inline const char *ccurl_get_string(CURL *easy, CURLINFO info) {
    char *value = NULL;
    return (curl_easy_getinfo)(easy, info, &value) == CURLE_OK ? value : NULL;
}

// Numbers and switches of the multi handle.
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}
