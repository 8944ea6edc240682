// The whole of libmicrohttpd that we see. Only StatusPage imports it.
//
// MHD_start_daemon, MHD_get_daemon_info, MHD_get_connection_info and MHD_set_response_options are variadic, and Swift
// cannot call variadic C functions. Each wrapper below fixes what it passes, so that the compiler checks it.
#pragma once
#include <microhttpd.h>
#include <stdbool.h>
#include <sys/epoll.h>

// A server that is driven from outside: it has no thread, and no socket to listen on. With a flag alone it would take a
// thread, a listening socket or `select`; the three together with suspending are the only way that we use.
//
// `memory` is all that a connection may take for what it reads and for the head of its answer, `connections` how many
// there may be. `target` sees each request line's target as it was sent, before anything in it is decoded in place.
static inline struct MHD_Daemon *cmicrohttp_start(
    size_t memory, unsigned int connections, MHD_AccessHandlerCallback request, MHD_NotifyConnectionCallback connection,
    void *(*target)(void *context, const char *target, struct MHD_Connection *connection), void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, request, context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_NOTIFY_CONNECTION, connection, context,
        MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_END);
}

// The descriptor that is readable when the server has something to do; -1 when there is none.
static inline int cmicrohttp_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// The socket of a connection; -1 when there is none.
static inline int cmicrohttp_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

// What was kept for a connection when it began. It outlives requests, unlike the context of a request.
static inline void *cmicrohttp_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// The length of the request's head in bytes.
static inline size_t cmicrohttp_head_bytes(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

// Lets the end of the connection be the end of the answer: no chunks, and no second request.
static inline enum MHD_Result cmicrohttp_end_by_closing(struct MHD_Response *response) {
    return MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// Macros with casts in them, which Swift does not see.
static const uint64_t cmicrohttp_unknown_size = MHD_SIZE_UNKNOWN;
static const ssize_t cmicrohttp_end = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t cmicrohttp_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

// Clients that hang up. libmicrohttpd takes a short read to be the last for now and waits for the next event of the socket;
// but the end of what a client sends is no further event when it came along with the last bytes, and of a connection that
// is suspended it sees none at all. So the system is asked for ends, and for nothing else, in a second set. A socket leaves
// the set when it is closed. Swift's Glibc has no epoll.
static inline int cmicrohttp_hangups(void) { return epoll_create1(EPOLL_CLOEXEC); }

// Has the end of what a socket's client sends told, once.
static inline int cmicrohttp_await_hangup(int hangups, int socket, uint64_t id) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data = {.u64 = id}};
    return epoll_ctl(hangups, EPOLL_CTL_ADD, socket, &event);
}

// Whose client has hung up; false when that is nobody.
static inline bool cmicrohttp_next_hangup(int hangups, uint64_t *id) {
    struct epoll_event event;
    if (epoll_wait(hangups, &event, 1, 0) != 1) return false;
    *id = event.data.u64;
    return true;
}
